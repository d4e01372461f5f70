/* The simplest call, and facts about the library. */
#include "check.h"
#include <math.h>

int main(void)
{
    uint32_t assignment[7];
    int64_t makespan = 0, bound = 0;
    CHECK_OK(mks_parallel_machines(GRAHAM, 7, 3, INFINITY, assignment, &makespan, &bound));
    CHECK(makespan == 9 && bound == 9);
    uint64_t loads[3] = {0};
    for (size_t job = 0; job < 7; job++) {
        CHECK(assignment[job] < 3);
        loads[assignment[job]] += GRAHAM[job];
    }
    CHECK(loads[0] == 9 && loads[1] == 9 && loads[2] == 9);

    CHECK_OK(mks_parallel_machines(NULL, 0, 3, 60, NULL, &makespan, &bound));
    CHECK(makespan == 0 && bound == 0);

    CHECK(mks_version_number() == MKS_VERSION_NUMBER);
    CHECK(strcmp(mks_version_string(), MKS_VERSION_STRING) == 0);
    CHECK(mks_abi_number() == MKS_ABI_NUMBER);
    CHECK(strstr(mks_build_info(), MKS_VERSION_STRING) != NULL);
    CHECK(strcmp(mks_status_text(MKS_STATUS_OK), "success") == 0);
    CHECK(strcmp(mks_status_text(MKS_STATUS_BUSY), "in use") == 0);
    CHECK(strcmp(mks_status_text(1), "unknown status") == 0);
    return 0;
}
