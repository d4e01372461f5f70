# Recurrences; see scripts/test-memory.sh.
draw 17 "print \"semiring min-plus\"; print \"length\", 200000 * $size;
         print \"offsets 1000..901\"; print \"initial 0*1000\"; print \"weights 3*100\"" \
    >"$work/$size.recurrence"
draw 18 "print \"capacity\", 100000 * $size;
         printf \"weights\"; for (i = 0; i < 10; i++) printf \" %d\", random(9999);
         printf \"\\nprofits\"; for (i = 0; i < 10; i++) printf \" %d\", random(9999);
         print \"\"" >"$work/$size.rows"
echo "recurrence $work/$size.recurrence"
echo "recurrence $work/$size.recurrence --method pipeline --choices"
echo "recurrence $work/$size.rows"
