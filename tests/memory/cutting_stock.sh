# Cutting stock; see scripts/test-memory.sh.
draw 14 "n = 40 * $size; print n, 10000;
         for (i = 0; i < n; i++) print random(5000), random(30)" >"$work/$size.csp"
echo "cutting-stock $work/$size.csp"
