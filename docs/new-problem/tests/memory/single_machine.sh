# Single machines; see scripts/test-memory.sh.
draw 21 "n = 2000 * $size; print n;
         for (i = 0; i < n; i++) print random(1000), random(1000)" >"$work/$size.single-machine"
echo "single-machine $work/$size.single-machine"
