/* Units of work: a proof in parts with bytes between them, remainders, and what is refused. */
#include "check.hpp"

#include <makespan_units.hpp>

#include <filesystem>

using namespace makespan;
namespace shop = flow_shop;

/* Decomposed nodes of the proof that no schedule of ta014 is shorter than 1377. */
static const std::uint64_t nodes = 19285;

static options proof()
{
    options options(shop::name);
    options.set("method", "branch-and-bound").set("upper_bound", 1377);
    return options;
}

/* Parts have the nodes of the whole tree together, also by way of their bytes. */
static void share(const context &context, const shop::instance &instance)
{
    const options options = proof();
    const shop::unit whole(instance, options);
    CHECK(whole.open_nodes() == 1 && whole.nodes() == 0 && !whole.is_done());
    CHECK(whole.bound() < whole.limit() && whole.limit() == 1377);
    std::vector<shop::unit> parts = whole.split(3);
    const shop::upper_bound bound;
    CHECK(!bound.get());
    for (shop::unit &part : parts) {
        const std::uint64_t before = part.nodes();
        CHECK(part.run(context, bound) + before == part.nodes() && part.is_done());
    }
    for (std::size_t part = 1; part < parts.size(); part++) {
        parts[0].merge(shop::unit(instance, options, parts[part].bytes()));
    }
    CHECK(parts[0].nodes() == nodes && parts[0].is_done() && bound.get() == 1377u);
    shop::unit moved = std::move(parts[1]);
    CHECK(moved.is_done());
    REFUSED(parts[1].nodes(), "unit: is NULL");
}

/* A copy loses what a remainder has done. */
static void coordinate(const context &context, const shop::instance &instance)
{
    const options options = proof();
    makespan::options budget(shop::name);
    budget.set("iteration_limit", 500);
    const shop::upper_bound bound;
    shop::unit held(instance, options);
    held.set_epoch(9);
    shop::unit worker(instance, options, held.bytes());
    CHECK(worker.epoch() == 9);
    const std::uint64_t done = worker.run(context, bound, budget);
    CHECK(done > 0 && done <= 500 && !worker.is_done());
    held.intersect(worker);
    CHECK(done + held.run(context, bound) == nodes && held.is_done());
    worker.set_epoch(8);
    REFUSED(held.intersect(worker), "epoch");
}

/* A schedule and a bound from elsewhere; a checkpoint. */
static void learn(const context &context, const shop::instance &instance)
{
    options options(shop::name);
    options.set("method", "branch-and-bound");
    shop::unit unit(instance, options);
    const auto known = unit.best();
    CHECK(known.permutation.size() == 20 && known.makespan == unit.limit());
    const auto found = shop::solve(context, instance);
    CHECK(found.is_optimal());
    unit.offer(found.permutation());
    CHECK(unit.best().makespan == 1377 && unit.limit() == 1377);
    const auto path = std::filesystem::temp_directory_path() / "makespan-units-cpp.checkpoint";
    unit.write_checkpoint(path.string());
    const auto read = shop::unit::read_checkpoint(instance, options, path.string());
    std::filesystem::remove(path);
    CHECK(read.limit() == 1377 && read.best().permutation == found.permutation());
    const shop::upper_bound bound;
    bound.lower(1300);
    bound.lower(1400);
    CHECK(bound.get() == 1300u);
    REFUSED(unit.offer(std::vector<std::uint32_t>{0, 0}), "permutation");
}

static void refused(const context &context, const shop::instance &instance)
{
    const options options = proof();
    REFUSED(shop::unit(instance, {}), "method");
    REFUSED(shop::unit(instance, options).split(0), "count");
    std::vector<std::uint8_t> bytes;
    {
        const shop::unit unit(instance, options);
        bytes.assign(unit.bytes().begin(), unit.bytes().end());
    }
    bytes.back() ^= 1;
    REFUSED(shop::unit(instance, options, bytes), "");
    const auto due = instance.with_due_dates(std::vector<std::int64_t>(20, 500))
                         .with_objective("total-tardiness");
    CHECK_THROWS(shop::unit(due, options), MKS_STATUS_UNSUPPORTED, "units of work");

    // The exception of a callback comes out of run(), which is long enough for a report.
    makespan::options throwing(shop::name);
    throwing.on_progress([](const progress &) -> control { throw 7; });
    shop::unit unit(shop::instance::named("ta021"),
        makespan::options(shop::name).set("method", "branch-and-bound"));
    int caught = 0;
    try {
        unit.run(context, shop::upper_bound(), throwing);
    } catch (int thrown) {
        caught = thrown;
    }
    CHECK(caught == 7);
}

int main()
{
    const context context = cpu_context();
    const auto instance = shop::instance::named("ta014");
    share(context, instance);
    coordinate(context, instance);
    learn(context, instance);
    refused(context, instance);
}
