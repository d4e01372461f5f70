# Lattice programs; see scripts/test-memory.sh.
draw 16 "print \"sizes 40 40 \" 40 * $size;
         for (i = 0; i < 20; i++) print \"offset\", random(9), random(5), random(5), random(5)" \
    >"$work/$size.lattice"
echo "lattice-dp $work/$size.lattice"
