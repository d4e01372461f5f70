/* Set-ups, release times, blocking, due dates and objectives of the flow shop. */
#include "check.hpp"

using namespace makespan;
using u32s = std::vector<std::uint32_t>;
using u64s = std::vector<std::uint64_t>;
using i64s = std::vector<std::int64_t>;

int main()
{
    const context context = cpu_context();
    const flow_shop::instance plain(u64s{3, 2, 1, 4, 2, 1}, 3, 2);
    CHECK(plain.setups().empty() && plain.first_setups().empty() && plain.families().empty());
    CHECK(plain.due_dates().empty() && plain.running_plan().empty() && !plain.has_blocking());
    CHECK(plain.release_times() == (u64s{0, 0, 0}) && plain.weights() == (u64s{1, 1, 1}));
    CHECK(plain.objective() == "makespan" && plain.stages() == 1);

    const u64s matrix{0, 2, 3, 4, 0, 1, 5, 1, 0};
    const auto set_up = plain.with_setups(matrix).with_first_setups(u64s{0, 1, 0});
    CHECK(set_up.setups() == matrix && set_up.first_setups() == (u64s{0, 1, 0}));
    CHECK(set_up.check(u32s{1, 0, 2}) == 16);
    const auto families = plain.with_family_setups(u32s{0, 1, 0}, 2, u64s{0, 9, 9, 0});
    CHECK(families.families().size() == 3 && families.families()[1] == 1);
    CHECK(families.setups() == (u64s{0, 9, 9, 0}));
    REFUSED(plain.with_setups(u64s{1, 2}), "setups: 2 elements are no matrices of 3 x 3");
    REFUSED(plain.with_first_setups(u64s{0, 1, 0}), "instance: has no set-ups");
    CHECK(set_up.last_kinds().empty());
    const auto after = set_up.with_last_kinds(u32s{0, 2});
    CHECK(after.first_setups().empty() && after.last_kinds()[1] == 2);
    CHECK(after.check(u32s{1, 0, 2}) == 17);
    REFUSED(plain.with_last_kinds(u32s{0, 2}), "instance: has no set-ups");

    const auto late = plain.with_release_times(u64s{0, 5, 0});
    CHECK(late.release_times()[1] == 5 && late.check(u32s{1, 0, 2}) == 13);
    CHECK(plain.with_blocking().has_blocking());
    const auto due = plain.with_due_dates(i64s{6, 5, 9}).with_weights(u64s{3, 1, 2});
    CHECK(due.due_dates()[2] == 9 && due.weights()[0] == 3);
    const auto planned = due.with_running_plan(u32s{0, 2, 1})
                             .with_objective("late-jobs,2*makespan + 3*max-lateness");
    CHECK(planned.objective() == "late-jobs,2*makespan+3*max-lateness");
    CHECK(planned.running_plan()[1] == 2 && planned.stages() == 2);
    CHECK(planned.check_values(u32s{1, 0, 2}) == (i64s{1, 19}));
    const auto solved = flow_shop::solve(context, planned);
    CHECK(solved.values() == planned.check_values(solved.permutation()));
    CHECK(solved.values()[0] == solved.objective());
    REFUSED(plain.with_objective("speed"), "objective: \"speed\" is none of");

    const auto read = flow_shop::instance::parse_as("2 1\n7 9\n3\n4\n", "due-dates");
    CHECK(read.due_dates()[1] == 9 && read.objective() == "total-tardiness");
    REFUSED(flow_shop::instance::parse_as("1", "xml"), "format: is none of auto, taillard");
    return 0;
}
