# Parallel machines; see scripts/test-memory.sh.
draw 13 "n = 400 * $size; print \"p p_cmax\", n, int(n / 7);
         for (i = 0; i < n; i++) print random(100000); print 0" >"$work/$size.pcmax"
echo "parallel-machines $work/$size.pcmax"
echo "parallel-machines $work/$size.pcmax --method ptas --epsilon 0.1"
