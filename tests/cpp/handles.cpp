/* Views, options, handles that were moved away, batches, errors, exceptions of callbacks. */
#include "check.hpp"

using namespace makespan;
namespace pm = parallel_machines;

static void views()
{
    const std::vector<std::uint64_t> vector{5, 5, 4};
    const std::array<std::uint64_t, 3> array{5, 5, 4};
    const std::uint64_t plain[3] = {5, 5, 4};
    CHECK(pm::assign(vector, 2).makespan == 9);
    CHECK(pm::assign(array, 2).makespan == 9);
    CHECK(pm::assign(plain, 2).makespan == 9);
    CHECK(pm::assign({plain, 2}, 2).makespan == 5);
    CHECK(view<std::uint64_t>(array).size() == 3 && view<std::uint64_t>(plain)[2] == 4);
    CHECK(view<std::uint64_t>().empty());
    static_assert(!std::is_constructible_v<view<std::uint64_t>, std::vector<std::uint32_t>>);
}

static void values()
{
    options options(pm::name);
    options.set("time_limit", std::chrono::milliseconds(1500)).set("seed", 7u).set("epsilon", 0.5);
    CHECK(options.get("time_limit") == "1.5" && options.get("seed") == "7");
    CHECK(options.get("epsilon") == "0.5");
    options.set("seed", UINT64_MAX).set("method", std::string("ptas"));
    CHECK(options.get("seed") == "18446744073709551615" && options.get("method") == "ptas");
    CHECK(options.list().size() > 5 && std::strcmp(options.list()[0].name, "method") == 0);
    REFUSED(options.set("colour", "red"), "colour");
    REFUSED(options.set("method", std::string("pt\0as", 5)), "NUL");
    REFUSED(makespan::options("no problem"), "");
    CHECK_THROWS(options.read("/nowhere/x"), MKS_STATUS_IO, "/nowhere/x");
    makespan::options listed("context");
    listed.set("device", {0, 2}).set("engine", "cpu");
    CHECK(listed.get("device") == "0 2");
    listed.set("device", std::vector<std::uint32_t>{1});
    CHECK(listed.get("device") == "1");
}

static void moved(context &used, const pm::instance &instance)
{
    static_assert(!std::is_copy_constructible_v<context> && !std::is_copy_assignable_v<stop>);
    pm::instance first(std::vector<std::uint64_t>{1, 2}, 1);
    const pm::instance second = std::move(first);
    CHECK(second.jobs() == 2);
    REFUSED(first.jobs(), "instance: is NULL");
    REFUSED(pm::solve(used, first), "instance: is NULL");
    options gone(pm::name);
    const options kept = std::move(gone);
    REFUSED(pm::solve(used, instance, gone), "options: were moved away");
    stop stop;
    makespan::stop other = std::move(stop);
    REFUSED(stop.trip(), "stop");
    REFUSED(options(pm::name).set_stop(stop), "moved away");
    other.trip();
    CHECK(other.is_tripped());
    other.reset();
    CHECK(!other.is_tripped());
    context closed = cpu_context();
    closed.close();
    REFUSED(closed.threads(), "context: is NULL");
}

struct failure : std::runtime_error {
    using runtime_error::runtime_error;
};

static void exceptions(const context &context, const pm::instance &instance)
{
    int calls = 0;
    options options(pm::name);
    options.on_progress([&](const progress &) -> control {
        calls++;
        throw failure("from a callback");
    });
    bool caught = false;
    try {
        static_cast<void>(pm::solve(context, instance, options));
    } catch (const failure &thrown) {
        caught = std::strcmp(thrown.what(), "from a callback") == 0;
    }
    CHECK(caught && calls == 1);

    // A callback solves with its own options; the exception ends the inner and the outer solve.
    int depth = 0;
    options.on_progress([&](const progress &) -> control {
        if (++depth == 1) {
            static_cast<void>(pm::solve(context, instance, options));
        }
        throw failure("inside");
    });
    caught = false;
    try {
        static_cast<void>(pm::solve(context, instance, options));
    } catch (const failure &) {
        caught = true;
    }
    CHECK(caught && depth == 2);

    caught = false;
    std::vector<pm::instance> instances;
    instances.emplace_back(std::vector<std::uint64_t>{1, 2, 3}, 2u);
    try {
        static_cast<void>(pm::solve_batch(context, instances, options));
    } catch (const failure &) {
        caught = true;
    }
    CHECK(caught);

    calls = 0;
    options.on_progress([&](const progress &) {
        calls++;
        return control::go_on;
    });
    CHECK(pm::solve(context, instance, options).is_optimal() && calls > 0);
    options.on_progress(nullptr);
    const int before = calls;
    static_cast<void>(pm::solve(context, instance, options));
    CHECK(calls == before);
}

static void logs(const pm::instance &instance)
{
    int messages = 0;
    std::optional<context> context;
    {
        options options("context");
        options.set("threads", 1).set("cache", "off");
        options.on_log(MKS_LOG_LEVEL_DEBUG, [&](std::int32_t, const char *) {
            messages++;
            throw failure("dropped");
        });
        context.emplace(options);
    }
    static_cast<void>(context->devices());
    CHECK(pm::solve(*context, instance).objective() == 9 && messages > 0);
}

static void opencl()
{
    REFUSED(context(nullptr, nullptr, nullptr), "opencl_context: is NULL");
    REFUSED(context(nullptr, nullptr, nullptr, makespan::options(pm::name)),
        "options: are those of parallel_machines, not of context");
}

static void batches(const context &context)
{
    std::vector<pm::instance> instances;
    for (std::uint64_t job = 1; job <= 5; job++) {
        instances.emplace_back(std::vector<std::uint64_t>{job, job, job}, 2u);
    }
    const auto results = pm::solve_batch(context, instances);
    CHECK(results.size() == 5 && pm::solve_batch(context, {}).empty());
    for (std::size_t index = 0; index < results.size(); index++) {
        CHECK(results[index].objective() == static_cast<std::int64_t>(2 * (index + 1)));
        CHECK(instances[index].check(results[index].assignment()) == results[index].objective());
    }
    const pm::instance taken = std::move(instances[3]);
    REFUSED(pm::solve_batch(context, instances), "instances[3]: is NULL");
}

static void speeds(const context &context)
{
    context.calibrate();
    const mks_processor_speeds processor = context.processor_speeds();
    CHECK(processor.measured == 1 && processor.threads == context.threads());
    CHECK(processor.core_add_min_rate > 0);
    const std::size_t count = context.devices().size();
    for (std::size_t index = 0; index < count; index++) {
        CHECK(context.device_speeds(index).add_min_rate > 0);
    }
    REFUSED(context.device_speeds(count), "index: ");
}

static void kernels_ahead(const context &context)
{
    REFUSED(context.prewarm("job-shop"), "names[0]: ");
    prewarming work = context.prewarm("lattice_batch");
    work.stop();
    CHECK(work.wait() && work.total() > 0 && work.done() <= work.total());
    CHECK(work.family().empty());
    // Without a device, there is a reason.
    CHECK(!context.devices().empty() || work.problem().find("no OpenCL device") == 0);
    const std::vector<std::uint64_t> times{3, 1, 2, 4};
    const makespan::flow_shop::instance shop(times, 2, 2);
    prewarming more = context.prewarm_flow_shop(shop);
    more.stop();
    CHECK(more.wait(600));
}

static void tuning()
{
    makespan::options options("context");
    options.set_tuning("no rows");
    REFUSED(makespan::context(options), "tuning: line 1: ");
    options.set_tuning("").set("cache", "off");
    const makespan::context context(options);
    const std::size_t count = context.devices().size();
    for (std::size_t index = 0; index < count; index++) {
        CHECK(context.tuning(index).compare(0, 18, "makespan tuning 1\n") == 0);
    }
    REFUSED(context.tuning(count), "index: ");
}

int main()
{
    const std::vector<std::uint64_t> graham{5, 5, 4, 4, 3, 3, 3};
    const pm::instance instance(graham, 3);
    context context = cpu_context();
    views();
    values();
    moved(context, instance);
    exceptions(context, instance);
    logs(instance);
    batches(context);
    opencl();
    speeds(context);
    kernels_ahead(context);
    tuning();
    CHECK_THROWS(pm::instance::read("/nowhere/x"), MKS_STATUS_IO, "/nowhere/x: No such file");
    return 0;
}
