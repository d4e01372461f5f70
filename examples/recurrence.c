/* The fewest coins of 1, 5, 7 and 20 for amounts up to 30, with one call of up to ten seconds. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    /* An amount is reached from the amounts 20, 7, 5 and 1 below it, with one coin more. */
    const uint64_t coins[4] = {20, 7, 5, 1};
    const int64_t one_more[4] = {1, 1, 1, 1};
    /* The amounts below the largest coin are given: here by the same rule, without the coin of 20.
     */
    int64_t initial[20];
    for (int amount = 0; amount < 20; amount++) {
        initial[amount] = amount == 0 ? 0 : initial[amount - 1] + 1;
        for (int coin = 1; coin < 3; coin++) {
            int rest = amount - (int)coins[coin];
            if (rest >= 0 && initial[rest] + 1 < initial[amount]) {
                initial[amount] = initial[rest] + 1;
            }
        }
    }
    int64_t fewest[31];
    if (mks_recurrence_min_plus(coins, one_more, 4, initial, 31, 10, fewest) != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    for (int amount = 24; amount < 31; amount++) {
        printf("%d needs %" PRId64 " coins\n", amount, fewest[amount]);
    }
    return 0;
}
