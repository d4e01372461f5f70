# Multidimensional knapsacks; see scripts/test-memory.sh.
draw 22 "n = 40 * $size; print n, 3, 0;
         for (i = 0; i < 4 * n; i++) print 20 + random(80);
         for (i = 0; i < 3; i++) print n * 12" >"$work/$size.mknap"
draw 23 "n = 40; c = 20 * $size; print n, 3, 0;
         for (i = 0; i < 4 * n; i++) print 1 + random(c / 8);
         print c, c + 1, c + 2" >"$work/$size.small.mknap"
echo "multidimensional-knapsack $work/$size.mknap"
echo "multidimensional-knapsack $work/$size.small.mknap --method dense"
