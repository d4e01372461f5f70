# Flow shops; see scripts/test-memory.sh.
draw 15 "for (i = 0; i < 10 + 2 * $size; i++) {
             for (j = 0; j < 10; j++) printf \"%d \", random(99); print \"\" }" >"$work/$size.shop"
echo "flow-shop $work/$size.shop"
echo "flow-shop $work/$size.shop --method branch-and-bound"
echo "flow-shop $work/$size.shop --method beam"
