# Knapsacks; see scripts/test-memory.sh.
draw 11 "n = 50 * $size; print n, n * 20000;
         for (i = 0; i < n; i++) { w = 10000 + random(90000); print w + 1000, w }" \
    >"$work/$size.knapsack"
draw 19 "for (i = 0; i < 20 * $size; i++) {
             for (j = 0; j < 50; j++) printf \"%d \", random(99); print \"\" }" \
    >"$work/$size.profits"
draw 20 "print 50, 60000; for (i = 0; i < 50; i++) print random(99), random(4000)" \
    >"$work/$size.items"
echo "knapsack $work/$size.knapsack"
echo "knapsack $work/$size.knapsack --method core"
echo "knapsack $work/$size.items --method dense"
echo "knapsack $work/$size.items --profits $work/$size.profits"
