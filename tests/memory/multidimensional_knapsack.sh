# Multidimensional knapsacks; see scripts/test-memory.sh.
draw 22 "n = 40 * $size; print n, 3, 0;
         for (i = 0; i < 4 * n; i++) print 20 + random(80);
         for (i = 0; i < 3; i++) print n * 12" >"$work/$size.mknap"
# Profits near the weights, so that no bound decides an item.
draw 23 "n = 40; c = 16 * $size; print n, 3, 0;
         for (i = 0; i < 3 * n; i++) p[i % n] += 100 * (w[i] = random(c / 8));
         for (i = 0; i < n; i++) print p[i] + random(9);
         for (i = 0; i < 3 * n; i++) print w[i];
         print c, c + 1, c + 2" >"$work/$size.dense.mknap"
echo "multidimensional-knapsack $work/$size.mknap"
echo "multidimensional-knapsack $work/$size.dense.mknap --method dense"
