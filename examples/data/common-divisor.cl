/* (+) is the greatest common divisor. */
long combine(long left, long right)
{
    while (right != 0) {
        long rest = left % right;
        left = right;
        right = rest;
    }
    return left;
}
