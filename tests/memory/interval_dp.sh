# Interval programs; see scripts/test-memory.sh.
echo "interval-dp matrix-chain random:$((200 * size)):1"
echo "interval-dp matrix-chain random:$((200 * size)):1 --method cubic"
echo "interval-dp search-tree random:$((400 * size)):1 --method knuth"
echo "interval-dp matrix-chain random:20:1 --batch=$((100 * size))"
