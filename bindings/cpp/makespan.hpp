/*
 * makespan for C++17: handles that free themselves, exceptions, containers in and out.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * This header uses makespan.h, the C interface, and needs nothing but the same library. The
 * comments of makespan.h are the manual of formats, limits and options. The comments of this header
 * describe only what C++ adds.
 *
 *     const std::vector<std::uint64_t> hours{5, 5, 4, 4, 3, 3, 3};
 *     auto plan = makespan::parallel_machines::assign(hours, 3);     // one call
 *
 *     makespan::context context;                                     // or with handles
 *     makespan::parallel_machines::instance instance(hours, 3);
 *     makespan::options options(makespan::parallel_machines::name);
 *     options.set("time_limit", std::chrono::seconds(5));
 *     auto result = makespan::parallel_machines::solve(context, instance, options);
 *
 * HANDLES. context, stop, options, instances and results own a C handle, can be moved and not
 * copied, and may end in any order. A call with a handle that was moved away throws error. native()
 * gives the C handle, for functions that this header lacks.
 *
 * ERRORS. A failed call throws makespan::error. A solve that reached its time limit has not failed:
 * result::summary() says whether its solution is proved optimal.
 *
 * ARRAYS. Inputs are views: of a std::vector, std::array, C array, or pointer and size. The library
 * copies them. The header checks that the lengths of related arrays agree. Outputs are std::vector,
 * or views of large arrays, which are valid as long as the object that gives them.
 *
 * TIMES. Limits are std::chrono durations. `no_limit` sets no limit: searches then end after a
 * fixed amount of work.
 *
 * THREADS. Const functions may be called on one object by several threads at once, and so may
 * trip() and reset() of a stop. Other functions need the object to themselves.
 */
#ifndef MAKESPAN_HPP
#define MAKESPAN_HPP

#include <makespan.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace makespan {

/// A failed call: what() names the argument, index or line at fault.
class error : public std::runtime_error {
  public:
    error(mks_status status, const std::string &text) : std::runtime_error(text), status_(status) {}

    /// One of the constants MKS_STATUS_..., such as MKS_STATUS_INVALID_ARGUMENT.
    mks_status status() const noexcept { return status_; }

  private:
    mks_status status_;
};

/// Wall-clock seconds; every std::chrono duration converts to it.
using seconds = std::chrono::duration<double>;

/// No time limit.
inline constexpr seconds no_limit{std::numeric_limits<double>::infinity()};

/// Elements of an array that belongs to the caller, who keeps it alive while the view is used.
template <class T> class view {
  public:
    constexpr view() noexcept = default;

    constexpr view(const T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    /// A C array, or a container of T with data() and size().
    template <class Container,
        class = std::enable_if_t<
            std::is_same_v<std::remove_cv_t<std::remove_pointer_t<decltype(std::data(
                               std::declval<const Container &>()))>>,
                T>>>
    constexpr view(const Container &container) noexcept
        : data_(std::data(container)), size_(std::size(container))
    {
    }

    constexpr const T *data() const noexcept { return data_; }

    constexpr std::size_t size() const noexcept { return size_; }

    constexpr bool empty() const noexcept { return size_ == 0; }

    constexpr const T *begin() const noexcept { return data_; }

    constexpr const T *end() const noexcept { return data_ + size_; }

    constexpr const T &operator[](std::size_t index) const noexcept { return data_[index]; }

  private:
    const T *data_ = nullptr;
    std::size_t size_ = 0;
};

/// State of a running solve; makespan.h describes the fields.
using progress = mks_progress;

/// Answer of a progress callback.
enum class control : std::int32_t {
    go_on = MKS_CONTROL_CONTINUE,
    stop = MKS_CONTROL_STOP,
};

/// Receives the progress of a solve on the thread that called it. An exception ends the solve,
/// which throws it to its caller; the callback is then not called again by that solve.
using progress_callback = std::function<control(const progress &)>;

/// Receives a message and its level, MKS_LOG_LEVEL_..., on any thread and on several at once. It
/// must not use the context. Its exceptions are dropped: no call of the program belongs to them.
using log_callback = std::function<void(std::int32_t level, const char *message)>;

/// Parts of this header that programs do not name.
namespace detail {

inline void check(mks_status status)
{
    if (status != MKS_STATUS_OK) {
        const char *text = mks_last_error();
        throw error(status, *text != '\0' ? text : mks_status_text(status));
    }
}

[[noreturn]] inline void refuse(const std::string &text)
{
    throw error(MKS_STATUS_INVALID_ARGUMENT, text);
}

inline void check_length(const char *array, std::size_t length, std::size_t expected)
{
    if (length != expected) {
        refuse(std::string(array) + ": has " + std::to_string(length) + " entries, expected "
            + std::to_string(expected));
    }
}

/// The length of an array with rows and columns; the library could not store one beyond size_t.
inline std::size_t area(std::size_t rows, std::size_t columns)
{
    if (columns != 0 && rows > std::numeric_limits<std::size_t>::max() / columns) {
        refuse("the array has too many entries");
    }
    return rows * columns;
}

/// A text for C, which would cut it at a NUL inside.
inline const char *text(const std::string &given)
{
    if (given.find('\0') != std::string::npos) {
        refuse("a text contains NUL");
    }
    return given.c_str();
}

template <class T, void (*Free)(T *)> struct freed {
    void operator()(T *handle) const noexcept { Free(handle); }
};

template <class T, void (*Free)(T *)> using handle = std::unique_ptr<T, freed<T, Free>>;
using result_handle = handle<mks_result, mks_result_free>;

/// The last parameter of `call` as a value.
template <class Out, class Call, class... Arguments>
Out get(Call call, const Arguments &...arguments)
{
    Out out{};
    check(call(arguments..., &out));
    return out;
}

/// The array of `length` that `call` fills.
template <class T, class Call, class... Arguments>
std::vector<T> copy(std::size_t length, Call call, const Arguments &...arguments)
{
    std::vector<T> array(length);
    check(call(arguments..., array.data(), array.size()));
    return array;
}

/// The array that `call` points to, which lives as long as its handle.
template <class T, class Call, class... Arguments>
view<T> shown(Call call, const Arguments &...arguments)
{
    const T *array = nullptr;
    std::size_t length = 0;
    check(call(arguments..., &array, &length));
    return view<T>(array, length);
}

/// The text that `call` copies.
template <class Call, class... Arguments>
std::string copy_text(Call call, const Arguments &...arguments)
{
    std::size_t length = 0;
    check(call(arguments..., nullptr, 0, &length));
    std::string text(length + 1, '\0');
    check(call(arguments..., text.data(), text.size(), &length));
    text.resize(length < text.size() ? length : text.size() - 1);
    return text;
}

/// A progress callback, with a place for the exception of each solve that runs with it.
class progress_state {
  public:
    /// One running solve of this thread. It lies on the stack, so that the trampoline needs no
    /// memory.
    class solve {
      public:
        explicit solve(std::shared_ptr<progress_state> state) : state_(std::move(state))
        {
            if (state_) {
                const std::lock_guard<std::mutex> lock(state_->mutex_);
                next_ = state_->newest_;
                state_->newest_ = this;
            }
        }

        solve(const solve &) = delete;
        solve &operator=(const solve &) = delete;

        ~solve()
        {
            if (state_) {
                const std::lock_guard<std::mutex> lock(state_->mutex_);
                solve **link = &state_->newest_;
                while (*link != this) {
                    link = &(*link)->next_;
                }
                *link = next_;
            }
        }

        /// Throws what the callback threw, or else the failure of the call.
        void finish(mks_status status) const
        {
            if (exception_) {
                std::rethrow_exception(exception_);
            }
            check(status);
        }

      private:
        friend class progress_state;
        std::shared_ptr<progress_state> state_;
        std::thread::id thread_ = std::this_thread::get_id();
        std::exception_ptr exception_;
        solve *next_ = nullptr;
    };

    explicit progress_state(progress_callback callback) : callback_(std::move(callback)) {}

    static std::int32_t call(const mks_progress *progress, void *user_data) noexcept
    {
        auto *state = static_cast<progress_state *>(user_data);
        solve *running = state->of_this_thread();
        if (running != nullptr && running->exception_) {
            return MKS_CONTROL_STOP;
        }
        try {
            return static_cast<std::int32_t>(state->callback_(*progress));
        } catch (...) {
            if (running != nullptr) {
                running->exception_ = std::current_exception();
            }
            return MKS_CONTROL_STOP;
        }
    }

  private:
    /// A callback may start a solve with the same options: the newest of the thread is meant.
    solve *of_this_thread()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        solve *found = newest_;
        while (found != nullptr && found->thread_ != std::this_thread::get_id()) {
            found = found->next_;
        }
        return found;
    }

    progress_callback callback_;
    std::mutex mutex_;
    solve *newest_ = nullptr;
};

inline void call_log(std::int32_t level, const char *message, void *user_data) noexcept
{
    try {
        (*static_cast<const log_callback *>(user_data))(level, message);
    } catch (...) { // There is no caller to throw to.
    }
}

} // namespace detail

/// Ends any number of solves from outside, on any thread, but not in a signal handler. It may end
/// before the options that it was given to.
class stop {
  public:
    stop() : handle_(detail::get<mks_stop *>(mks_stop_create)) {}

    /// Asks the solves with this handle to end soon with the best solution so far.
    void trip() { detail::check(mks_stop_trip(native())); }

    /// Makes the handle usable for the next solve.
    void reset() { detail::check(mks_stop_reset(native())); }

    bool is_tripped() const
    {
        return detail::get<std::int32_t>(mks_stop_is_tripped, native()) != 0;
    }

    mks_stop *native() const noexcept { return handle_.get(); }

  private:
    detail::handle<mks_stop, mks_stop_free> handle_;
};

/// Options of a problem's solves, or of a context, by name. set() and its like return the options,
/// so that calls can be chained. A refused value throws error and changes nothing.
class options {
  public:
    /// The defaults of a problem, such as makespan::flow_shop::name, or of a "context".
    explicit options(const std::string &owner)
        : handle_(detail::get<mks_options *>(mks_options_create, detail::text(owner)))
    {
    }

    /// A number, "true", a choice, a path or a list; "auto" or "none" leaves it to the library.
    options &set(const std::string &name, const char *value)
    {
        return checked(mks_options_set(native(), detail::text(name), value));
    }

    options &set(const std::string &name, const std::string &value)
    {
        return set(name, detail::text(value));
    }

    options &set(const std::string &name, bool value)
    {
        return set(name, value ? "true" : "false");
    }

    template <class Integer,
        std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>, int> = 0>
    options &set(const std::string &name, Integer value)
    {
        if constexpr (std::is_unsigned_v<Integer> && sizeof(Integer) >= sizeof(std::int64_t)) {
            if (value > static_cast<Integer>(std::numeric_limits<std::int64_t>::max())) {
                return set(name, std::to_string(value));
            }
        }
        return checked(
            mks_options_set_int64(native(), detail::text(name), static_cast<std::int64_t>(value)));
    }

    options &set(const std::string &name, double value)
    {
        return checked(mks_options_set_double(native(), detail::text(name), value));
    }

    /// For options in seconds, such as time_limit.
    template <class Rep, class Period>
    options &set(const std::string &name, std::chrono::duration<Rep, Period> value)
    {
        return set(name, seconds(value).count());
    }

    options &set(const std::string &name, view<std::uint32_t> values)
    {
        return checked(
            mks_options_set_list(native(), detail::text(name), values.data(), values.size()));
    }

    options &set(const std::string &name, std::initializer_list<std::uint32_t> values)
    {
        return set(name, view<std::uint32_t>(values.begin(), values.size()));
    }

    /// All lines `name = value` of a file. If one is wrong, no option changes.
    options &read(const std::string &path)
    {
        return checked(mks_options_read(native(), detail::text(path)));
    }

    options &set_stop(const stop &stop)
    {
        return stop.native() == nullptr ? detail::refuse("stop: was moved away"),
               *this                    : checked(mks_options_set_stop(native(), stop.native()));
    }

    options &clear_stop() { return checked(mks_options_set_stop(native(), nullptr)); }

    /// Sends the progress of the solves with these options to `callback`; an empty one ends it.
    /// Several solves at once call it on several threads. Exceptions come out of solve() and
    /// solve_batch() of this header, not out of C functions called with native().
    options &on_progress(progress_callback callback)
    {
        auto state =
            callback ? std::make_shared<detail::progress_state>(std::move(callback)) : nullptr;
        checked(mks_options_set_progress(
            native(), state ? detail::progress_state::call : nullptr, state.get()));
        progress_ = std::move(state);
        return *this;
    }

    /// Sends the log of the contexts with these options to `callback`: messages of `level`, one of
    /// MKS_LOG_LEVEL_..., and more important ones. An empty callback ends it.
    options &on_log(std::int32_t level, log_callback callback)
    {
        auto state = callback ? std::make_shared<log_callback>(std::move(callback)) : nullptr;
        checked(
            mks_options_set_log(native(), level, state ? detail::call_log : nullptr, state.get()));
        log_ = std::move(state);
        return *this;
    }

    /// Sets tuning rows for contexts with these options; an empty text removes them.
    options &set_tuning(const std::string &rows)
    {
        return checked(
            mks_options_set_tuning(native(), rows.empty() ? nullptr : detail::text(rows)));
    }

    /// The value as a text that set() reads.
    std::string get(const std::string &name) const
    {
        return detail::copy_text(mks_options_get, native(), detail::text(name));
    }

    /// Descriptions of all options, with texts that are valid as long as the options.
    std::vector<mks_option_info> list() const
    {
        std::vector<mks_option_info> all(detail::get<std::size_t>(mks_options_count, native()));
        for (std::size_t index = 0; index < all.size(); index++) {
            detail::check(mks_option_info_init(&all[index], sizeof all[index]));
            detail::check(mks_options_info(native(), index, &all[index]));
        }
        return all;
    }

    mks_options *native() const noexcept { return handle_.get(); }

  private:
    friend class given_options;
    friend class context;

    options &checked(mks_status status)
    {
        detail::check(status);
        return *this;
    }

    detail::handle<mks_options, mks_options_free> handle_;
    std::shared_ptr<detail::progress_state> progress_;
    std::shared_ptr<log_callback> log_;
};

/// Kernels that a context builds in the background. Ending the context stops the work.
class prewarming {
  public:
    /// Takes a handle that C has returned.
    explicit prewarming(mks_prewarm *handle) : handle_(handle) {}

    /// The sets of kernels that are ready or have failed.
    std::size_t done() const { return counts().first; }

    /// All sets of kernels.
    std::size_t total() const { return counts().second; }

    /// The kernel family that is being built; empty if there is none.
    std::string family() const { return detail::copy_text(mks_prewarm_family, native()); }

    /// Why kernels are missing; empty if there is no problem.
    std::string problem() const { return detail::copy_text(mks_prewarm_problem, native()); }

    /// Waits until the work is over, but at most for this many seconds; a negative number means
    /// without limit. Returns whether it is over.
    bool wait(double seconds = -1) const
    {
        return detail::get<std::int32_t>(mks_prewarm_wait, native(), seconds) != 0;
    }

    /// Ends the work soon. Kernels that are ready stay.
    void stop() { detail::check(mks_prewarm_stop(native())); }

    mks_prewarm *native() const noexcept { return handle_.get(); }

  private:
    std::pair<std::size_t, std::size_t> counts() const
    {
        std::pair<std::size_t, std::size_t> both{0, 0};
        detail::check(mks_prewarm_progress(native(), &both.first, &both.second));
        return both;
    }

    detail::handle<mks_prewarm, mks_prewarm_free> handle_;
};

/// Options for one call. {} means the defaults; options convert to it implicitly.
class given_options {
  public:
    given_options() noexcept = default;

    given_options(const options &given) : native_(given.native()), progress_(given.progress_)
    {
        if (native_ == nullptr) {
            detail::refuse("options: were moved away");
        }
    }

    const mks_options *native() const noexcept { return native_; }

    const std::shared_ptr<detail::progress_state> &progress() const noexcept { return progress_; }

  private:
    const mks_options *native_ = nullptr;
    std::shared_ptr<detail::progress_state> progress_;
};

/// Threads, devices, built kernels and log of one user of the library. Several threads may solve on
/// one context at once. The destructor waits until its threads have ended. A context must not end
/// while it is in use, for example in a callback of a solve on it: it then stays for the rest of
/// the program, and close() reports that.
class context {
  public:
    context() : context(nullptr, nullptr) {}

    /// With the options of a "context".
    explicit context(const options &given) : context(given_options(given).native(), given.log_) {}

    /// Works with the program's own OpenCL objects, which are retained: a context, a device of it,
    /// and an in-order queue of both. Solves enqueue all their commands there.
    context(_cl_context *opencl_context,
        _cl_device_id *opencl_device,
        _cl_command_queue *opencl_queue,
        const options &given = options("context"))
        : handle_(detail::get<mks_context *>(mks_context_create_from_opencl,
                      opencl_context,
                      opencl_device,
                      opencl_queue,
                      given_options(given).native()),
              freed{given.log_})
    {
    }

    /// Ends the context now. MKS_STATUS_BUSY if it is in use; it then stays usable.
    void close()
    {
        detail::check(mks_context_free(native()));
        static_cast<void>(handle_.release());
        handle_.get_deleter().log.reset();
    }

    /// Number of threads of the CPU engine.
    std::size_t threads() const { return detail::get<std::size_t>(mks_context_threads, native()); }

    /// The OpenCL devices of this machine, graphics cards first; empty without OpenCL.
    std::vector<mks_device_info> devices() const
    {
        std::vector<mks_device_info> all(
            detail::get<std::size_t>(mks_context_device_count, native()));
        for (std::size_t index = 0; index < all.size(); index++) {
            detail::check(mks_device_info_init(&all[index], sizeof all[index]));
            detail::check(mks_context_device_info(native(), index, &all[index]));
        }
        return all;
    }

    /// Measures how fast the processor and all devices are, for later choices of the engine and
    /// for later processes. A device that fails keeps its estimate, and the log says why.
    void calibrate() const { detail::check(mks_context_calibrate(native())); }

    /// Builds kernels in the background: of problems and kernel families, separated by commas; of
    /// all problems for an empty text. See ::mks_context_prewarm.
    prewarming prewarm(const std::string &names = "") const
    {
        return prewarming(detail::get<mks_prewarm *>(
            mks_context_prewarm, static_cast<const mks_context *>(native()), detail::text(names)));
    }

    /// Builds the kernels for proofs and searches of a makespan::flow_shop::instance in the
    /// background.
    template <typename Instance> prewarming prewarm_flow_shop(const Instance &instance) const
    {
        return prewarming(detail::get<mks_prewarm *>(mks_context_prewarm_flow_shop,
            static_cast<const mks_context *>(native()),
            static_cast<const mks_flow_shop_instance *>(instance.native())));
    }

    /// How fast a device of devices() is, measured or estimated.
    mks_device_speeds device_speeds(std::size_t index) const
    {
        mks_device_speeds speeds;
        detail::check(mks_device_speeds_init(&speeds, sizeof speeds));
        detail::check(mks_context_device_speeds(native(), index, &speeds));
        return speeds;
    }

    /// How fast the processor is, measured or estimated.
    mks_processor_speeds processor_speeds() const
    {
        mks_processor_speeds speeds;
        detail::check(mks_processor_speeds_init(&speeds, sizeof speeds));
        detail::check(mks_context_processor_speeds(native(), &speeds));
        return speeds;
    }

    /// The tuning rows of a device of devices(), as a text that options::set_tuning() reads.
    std::string tuning(std::size_t index) const
    {
        return detail::copy_text(mks_context_tuning, native(), index);
    }

    /// Why there is no device, or why the chosen one did not open; empty if there is no problem.
    std::string device_problem() const
    {
        return detail::copy_text(mks_context_device_problem, native());
    }

    mks_context *native() const noexcept { return handle_.get(); }

  private:
    /// Keeps the log as long as the C context may use it.
    struct freed {
        std::shared_ptr<log_callback> log;

        void operator()(mks_context *context) noexcept
        {
            if (mks_context_free(context) != MKS_STATUS_OK && log) {
                static_cast<void>(new (std::nothrow) std::shared_ptr<log_callback>(log));
            }
        }
    };

    context(const mks_options *given, std::shared_ptr<log_callback> log)
        : handle_(detail::get<mks_context *>(mks_context_create, given), freed{std::move(log)})
    {
    }

    std::unique_ptr<mks_context, freed> handle_;
};

/// The common part of all results. Each problem adds the solution. A result never changes and does
/// not depend on its context, instance and options.
class result {
  public:
    /// Status, values and times; makespan.h describes the fields.
    mks_summary summary() const
    {
        mks_summary summary{};
        detail::check(mks_summary_init(&summary, sizeof summary));
        detail::check(mks_result_summary(native(), &summary));
        return summary;
    }

    /// Whether the solution is proved optimal.
    bool is_optimal() const { return summary().status == MKS_SOLUTION_STATUS_OPTIMAL; }

    /// The whole objective; none without a solution or if it is real: see summary().
    std::optional<std::int64_t> objective() const
    {
        const mks_summary all = summary();
        return all.has_objective && !all.is_real ? std::optional(all.objective) : std::nullopt;
    }

    /// The whole bound; none if there is none or if it is real: see summary().
    std::optional<std::int64_t> bound() const
    {
        const mks_summary all = summary();
        return all.has_bound && !all.is_real ? std::optional(all.bound) : std::nullopt;
    }

    /// The best values over time: a point for each improvement.
    std::vector<mks_trace_point> trace() const
    {
        std::size_t count = 0;
        detail::check(mks_result_trace(native(), nullptr, 0, &count));
        std::vector<mks_trace_point> points(count);
        detail::check(mks_result_trace(native(), points.data(), points.size(), &count));
        return points;
    }

    /// The counters by name, in alphabetical order.
    std::vector<std::pair<std::string, std::uint64_t>> statistics() const
    {
        std::vector<std::pair<std::string, std::uint64_t>> all;
        const auto count = detail::get<std::size_t>(mks_result_statistic_count, native());
        for (std::size_t index = 0; index < count; index++) {
            const auto *name =
                detail::get<const char *>(mks_result_statistic_name, native(), index);
            all.emplace_back(name, statistic(name));
        }
        return all;
    }

    /// One counter, such as "cells". MKS_STATUS_NOT_AVAILABLE if there is no such counter.
    std::uint64_t statistic(const std::string &name) const
    {
        return detail::get<std::uint64_t>(mks_result_statistic, native(), detail::text(name));
    }

    std::string problem() const { return detail::get<const char *>(mks_result_problem, native()); }

    std::string method() const { return detail::get<const char *>(mks_result_method, native()); }

    /// The device that did the heavy work; none if the CPU did.
    std::optional<std::string> device() const { return optional_text(mks_result_device); }

    /// Why the CPU did the work although a device was requested or expected to be faster.
    std::optional<std::string> fallback() const { return optional_text(mks_result_fallback); }

    /// A fault that did not end the solve.
    std::optional<std::string> warning() const { return optional_text(mks_result_warning); }

    mks_result *native() const noexcept { return handle_.get(); }

  protected:
    explicit result(detail::result_handle handle) noexcept : handle_(std::move(handle)) {}

  private:
    std::optional<std::string> optional_text(
        mks_status (*call)(const mks_result *, const char **)) const
    {
        const auto *text = detail::get<const char *>(call, native());
        return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
    }

    detail::result_handle handle_;
};

/// The best solution so far as a Result of this solve's instance, such as a flow_shop::result; none
/// before there is one. It is read when asked for, and only during the callback.
template <class Result, class Instance>
std::optional<Result> incumbent(const progress &running, const Instance &instance)
{
    if (running.incumbent == nullptr) {
        return std::nullopt;
    }
    // The result is only read: the library frees its incumbents itself.
    return Result(detail::result_handle(const_cast<mks_result *>(running.incumbent)), instance);
}

namespace detail {

/// The common part of the instances of all problems. `C` names the C functions of the problem. An
/// instance never changes: several threads may use it at once.
template <class Instance, class C> class problem_instance {
  public:
    using functions = C;

    static Instance parse(std::string_view text)
    {
        return Instance(make(C::parse, text.data(), text.size()));
    }

    static Instance read(const std::string &path)
    {
        return Instance(make(C::read, detail::text(path)));
    }

    typename C::native *native() const noexcept { return handle_.get(); }

  protected:
    explicit problem_instance(typename C::native *native) noexcept : handle_(native) {}

    template <class Call, class... Arguments>
    static typename C::native *make(Call call, const Arguments &...arguments)
    {
        return detail::get<typename C::native *>(call, arguments...);
    }

    /// The value that a C function reads.
    template <class Out> Out get(mks_status (*call)(const typename C::native *, Out *)) const
    {
        return detail::get<Out>(call, native());
    }

    /// The array of a given length that a C function copies.
    template <class T>
    std::vector<T> copy(
        std::size_t length, mks_status (*call)(const typename C::native *, T *, std::size_t)) const
    {
        return detail::copy<T>(length, call, native());
    }

    /// The array of the C handle.
    template <class T>
    view<T> shown(mks_status (*call)(const typename C::native *, const T **, std::size_t *)) const
    {
        return detail::shown<T>(call, native());
    }

  private:
    handle<typename C::native, C::free> handle_;
};

/// Runs `call`, a function named _solve; Result remembers sizes of the instance.
template <class Result, class Instance, class Call>
Result solve_by(
    Call call, const context &context, const Instance &instance, const given_options &given)
{
    const progress_state::solve running(given.progress());
    mks_result *raw = nullptr;
    const mks_status status = call(context.native(), instance.native(), given.native(), &raw);
    result_handle handle(raw);
    running.finish(status);
    return Result(std::move(handle), instance);
}

template <class Instance>
typename Instance::result solve(
    const context &context, const Instance &instance, const given_options &given)
{
    return solve_by<typename Instance::result>(
        Instance::functions::solve, context, instance, given);
}

template <class Instance>
std::vector<typename Instance::result> solve_batch(
    const context &context, view<Instance> instances, const given_options &given)
{
    using Result = typename Instance::result;
    std::vector<typename Instance::functions::native *> handles;
    handles.reserve(instances.size());
    for (const Instance &instance : instances) {
        handles.push_back(instance.native());
    }
    std::vector<mks_result *> raw(handles.size());
    std::vector<result_handle> owned(handles.size());
    const progress_state::solve running(given.progress());
    const mks_status status = Instance::functions::solve_batch(
        context.native(), handles.data(), handles.size(), given.native(), raw.data());
    for (std::size_t index = 0; index < raw.size(); index++) {
        owned[index].reset(raw[index]);
    }
    running.finish(status);
    std::vector<Result> results;
    results.reserve(owned.size());
    for (std::size_t index = 0; index < owned.size(); index++) {
        results.push_back(Result(std::move(owned[index]), instances[index]));
    }
    return results;
}

} // namespace detail

/// Items of given lengths, cut from few stock pieces or packed into few bins.
namespace cutting_stock {

inline constexpr const char *name = "cutting_stock";

struct packed {
    std::vector<std::uint32_t> bin_of; ///< The bin of each item, from 0.
    std::int64_t bins;
    std::int64_t bound; ///< No packing needs fewer bins.
};

/// Packs items into few bins of one capacity, with one call.
inline packed pack(
    view<std::uint64_t> lengths, std::uint64_t capacity, seconds time_limit = no_limit)
{
    packed found{std::vector<std::uint32_t>(lengths.size()), 0, 0};
    detail::check(mks_cutting_stock_pack(lengths.data(), lengths.size(), capacity,
        time_limit.count(), found.bin_of.data(), &found.bins, &found.bound));
    return found;
}

struct pattern {
    std::uint64_t pieces;              ///< Stock pieces that are cut in this way.
    std::vector<std::uint64_t> counts; ///< Items of each type from one piece.
};

/// The C functions of this problem.
struct functions {
    using native = mks_cutting_stock_instance;
    static constexpr auto free = mks_cutting_stock_instance_free;
    static constexpr auto parse = mks_cutting_stock_instance_parse;
    static constexpr auto read = mks_cutting_stock_instance_read;
    static constexpr auto solve = mks_cutting_stock_solve;
    static constexpr auto solve_batch = mks_cutting_stock_solve_batch;
};

class result;

class instance : public detail::problem_instance<instance, functions> {
  public:
    using result = cutting_stock::result;

    /// Item types with a length and a demand each.
    instance(view<std::uint64_t> lengths, view<std::uint64_t> demands, std::uint64_t stock_length)
        : instance((detail::check_length("demands", demands.size(), lengths.size()),
              make(mks_cutting_stock_instance_create,
                  lengths.data(),
                  demands.data(),
                  lengths.size(),
                  stock_length)))
    {
    }

    /// Number of item types.
    std::size_t types() const { return get(mks_cutting_stock_instance_types); }

    std::uint64_t stock_length() const { return get(mks_cutting_stock_instance_stock_length); }

    std::vector<std::uint64_t> lengths() const
    {
        return copy(types(), mks_cutting_stock_instance_lengths);
    }

    std::vector<std::uint64_t> demands() const
    {
        return copy(types(), mks_cutting_stock_instance_demands);
    }

    /// A copy with stock pieces that are in use already. Their items are part of the demands, and
    /// others may join them. In every packing these pieces come first, in this order.
    instance with_pinned(const std::vector<pattern> &patterns) const
    {
        const numbers given(patterns, types());
        return instance(make(mks_cutting_stock_instance_with_pinned, native(), given.pieces.data(),
            given.counts.data(), given.pieces.size()));
    }

    /// The stock pieces in use, with their items.
    std::vector<pattern> pinned() const
    {
        std::vector<pattern> all(get(mks_cutting_stock_instance_pinned_count));
        for (std::size_t index = 0; index < all.size(); index++) {
            all[index].pieces = detail::get<std::uint64_t>(
                mks_cutting_stock_instance_pinned_pieces, native(), index);
            all[index].counts = detail::copy<std::uint64_t>(
                types(), mks_cutting_stock_instance_pinned_counts, native(), index);
        }
        return all;
    }

    /// Checks patterns and returns the number of stock pieces that they cut.
    std::int64_t check(const std::vector<pattern> &patterns) const
    {
        const numbers given(patterns, types());
        return detail::get<std::int64_t>(mks_cutting_stock_check, native(), given.pieces.data(),
            given.counts.data(), given.pieces.size());
    }

  private:
    /// Patterns as C takes them.
    struct numbers {
        std::vector<std::uint64_t> pieces;
        std::vector<std::uint64_t> counts;

        numbers(const std::vector<pattern> &patterns, std::size_t types)
        {
            for (const pattern &one : patterns) {
                detail::check_length("counts", one.counts.size(), types);
                pieces.push_back(one.pieces);
                counts.insert(counts.end(), one.counts.begin(), one.counts.end());
            }
        }
    };

    friend class detail::problem_instance<instance, functions>;
    using problem_instance::problem_instance;
};

class result : public makespan::result {
  public:
    result(detail::result_handle handle, const instance &from)
        : makespan::result(std::move(handle)), types_(from.types())
    {
    }

    std::vector<pattern> patterns() const
    {
        std::vector<pattern> all(
            detail::get<std::size_t>(mks_cutting_stock_pattern_count, native()));
        for (std::size_t index = 0; index < all.size(); index++) {
            all[index].pieces =
                detail::get<std::uint64_t>(mks_cutting_stock_pattern_pieces, native(), index);
            all[index].counts = detail::copy<std::uint64_t>(
                types_, mks_cutting_stock_pattern_counts, native(), index);
        }
        return all;
    }

  private:
    std::size_t types_;
};

inline result solve(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve(context, instance, given);
}

/// Results in the order of the instances, such as a std::vector<instance>.
inline std::vector<result> solve_batch(
    const context &context, view<instance> instances, const given_options &given = {})
{
    return detail::solve_batch(context, instances, given);
}

} // namespace cutting_stock

/// Jobs that pass all machines in the same sequence.
namespace flow_shop {

inline constexpr const char *name = "flow_shop";

struct sequenced {
    std::vector<std::uint32_t> permutation; ///< The jobs in their sequence.
    std::int64_t makespan;
    std::int64_t bound; ///< No sequence ends earlier.
};

/// Sequences jobs with one call. times holds all machines of job 0 first.
inline sequenced sequence(view<std::uint64_t> times,
    std::size_t jobs,
    std::size_t machines,
    seconds time_limit = no_limit)
{
    detail::check_length("times", times.size(), detail::area(jobs, machines));
    sequenced found{std::vector<std::uint32_t>(machines == 0 ? 0 : jobs), 0, 0};
    detail::check(mks_flow_shop(times.data(), jobs, machines, time_limit.count(),
        found.permutation.data(), &found.makespan, &found.bound));
    return found;
}

/// The C functions of this problem.
struct functions {
    using native = mks_flow_shop_instance;
    static constexpr auto free = mks_flow_shop_instance_free;
    static constexpr auto parse = mks_flow_shop_instance_parse;
    static constexpr auto read = mks_flow_shop_instance_read;
    static constexpr auto solve = mks_flow_shop_solve;
    static constexpr auto solve_batch = mks_flow_shop_solve_batch;
};

class result;

class instance : public detail::problem_instance<instance, functions> {
  public:
    using result = flow_shop::result;

    /// times[jobs * machines] holds all machines of job 0 first.
    instance(view<std::uint64_t> times, std::size_t jobs, std::size_t machines)
        : instance((detail::check_length("times", times.size(), detail::area(jobs, machines)),
              make(mks_flow_shop_instance_create, times.data(), jobs, machines)))
    {
    }

    /// A well-known instance: "ta001" to "ta120" of Taillard 1993.
    static instance named(const std::string &name)
    {
        return instance(make(mks_flow_shop_instance_named, detail::text(name)));
    }

    /// Reads one format alone, such as "setups"; see mks_flow_shop_instance_parse_as.
    static instance parse_as(std::string_view text, const std::string &format)
    {
        return instance(
            make(mks_flow_shop_instance_parse_as, text.data(), text.size(), detail::text(format)));
    }

    static instance read_as(const std::string &path, const std::string &format)
    {
        return instance(
            make(mks_flow_shop_instance_read_as, detail::text(path), detail::text(format)));
    }

    /// A copy in which each machine does nothing before its ready time.
    instance with_ready_times(view<std::uint64_t> ready_times) const
    {
        return instance(make(mks_flow_shop_instance_with_ready_times, native(), ready_times.data(),
            ready_times.size()));
    }

    /// A copy in which every sequence begins with the jobs `pinned`.
    instance with_pinned(view<std::uint32_t> pinned) const
    {
        return instance(
            make(mks_flow_shop_instance_with_pinned, native(), pinned.data(), pinned.size()));
    }

    /// A copy with set-ups between jobs: one matrix for all machines or one for each; row i and
    /// column j is the set-up for job j directly after job i.
    instance with_setups(view<std::uint64_t> setups) const
    {
        return instance(
            make(mks_flow_shop_instance_with_setups, native(), setups.data(), setups.size()));
    }

    /// A copy with set-ups between the families of the jobs.
    instance with_family_setups(
        view<std::uint32_t> family_of, std::size_t families, view<std::uint64_t> setups) const
    {
        return instance(make(mks_flow_shop_instance_with_family_setups, native(), family_of.data(),
            family_of.size(), families, setups.data(), setups.size()));
    }

    /// A copy in which machines are also set up for their first job or family.
    instance with_first_setups(view<std::uint64_t> first_setups) const
    {
        return instance(make(mks_flow_shop_instance_with_first_setups, native(),
            first_setups.data(), first_setups.size()));
    }

    /// A copy in which each machine has done a job of this number or family last.
    instance with_last_kinds(view<std::uint32_t> last_kinds) const
    {
        return instance(make(mks_flow_shop_instance_with_last_kinds, native(), last_kinds.data(),
            last_kinds.size()));
    }

    /// A copy in which no job starts before its release time.
    instance with_release_times(view<std::uint64_t> release_times) const
    {
        return instance(make(mks_flow_shop_instance_with_release_times, native(),
            release_times.data(), release_times.size()));
    }

    instance with_due_dates(view<std::int64_t> due_dates) const
    {
        return instance(make(
            mks_flow_shop_instance_with_due_dates, native(), due_dates.data(), due_dates.size()));
    }

    /// A copy with weights of the jobs for the weighted criteria.
    instance with_weights(view<std::uint64_t> weights) const
    {
        return instance(
            make(mks_flow_shop_instance_with_weights, native(), weights.data(), weights.size()));
    }

    /// A copy without buffers between the machines.
    instance with_blocking() const
    {
        return instance(make(mks_flow_shop_instance_with_blocking, native()));
    }

    /// A copy with the sequence that the plant follows now.
    instance with_running_plan(view<std::uint32_t> running_plan) const
    {
        return instance(make(mks_flow_shop_instance_with_running_plan, native(),
            running_plan.data(), running_plan.size()));
    }

    /// A copy with another objective than the makespan, such as "late-jobs,total-tardiness".
    instance with_objective(const std::string &objective) const
    {
        return instance(
            make(mks_flow_shop_instance_with_objective, native(), detail::text(objective)));
    }

    std::size_t jobs() const { return get(mks_flow_shop_instance_jobs); }

    std::size_t machines() const { return get(mks_flow_shop_instance_machines); }

    /// All machines of job 0 first.
    std::vector<std::uint64_t> times() const
    {
        return copy(jobs() * machines(), mks_flow_shop_instance_times);
    }

    /// Checks the sequence `permutation` and returns the time at which its last job ends.
    std::int64_t check(view<std::uint32_t> permutation) const
    {
        return detail::get<std::int64_t>(
            mks_flow_shop_check, native(), permutation.data(), permutation.size());
    }

    std::vector<std::uint64_t> ready_times() const
    {
        return copy(machines(), mks_flow_shop_instance_ready_times);
    }

    /// Checks the sequence `permutation` and returns the value of each stage of the objective.
    std::vector<std::int64_t> check_values(view<std::uint32_t> permutation) const
    {
        return detail::copy<std::int64_t>(
            stages(), mks_flow_shop_check_values, native(), permutation.data(), permutation.size());
    }

    /// The jobs at the beginning of every sequence; valid as long as the instance.
    view<std::uint32_t> pinned() const & { return shown(mks_flow_shop_instance_pinned_view); }

    view<std::uint32_t> pinned() const && = delete;

    /// The set-ups, matrix by matrix; none if they were not given.
    std::vector<std::uint64_t> setups() const
    {
        const sizes of = setup_sizes();
        return copy(of.matrices * of.kinds * of.kinds, mks_flow_shop_instance_setups);
    }

    /// The first set-ups, row by row; none if they were not given.
    std::vector<std::uint64_t> first_setups() const
    {
        const sizes of = setup_sizes();
        return copy(of.first_rows * of.kinds, mks_flow_shop_instance_first_setups);
    }

    /// The family of each job; none unless set-ups are between families. Valid as long as the
    /// instance.
    view<std::uint32_t> families() const & { return shown(mks_flow_shop_instance_families_view); }

    view<std::uint32_t> families() const && = delete;

    /// The job or family that each machine is set up for at the beginning; none unless it was
    /// given. Valid as long as the instance.
    view<std::uint32_t> last_kinds() const &
    {
        return shown(mks_flow_shop_instance_last_kinds_view);
    }

    view<std::uint32_t> last_kinds() const && = delete;

    std::vector<std::uint64_t> release_times() const
    {
        return copy(jobs(), mks_flow_shop_instance_release_times);
    }

    std::vector<std::uint64_t> weights() const
    {
        return copy(jobs(), mks_flow_shop_instance_weights);
    }

    /// None if they were not given; valid as long as the instance.
    view<std::int64_t> due_dates() const & { return shown(mks_flow_shop_instance_due_dates_view); }

    view<std::int64_t> due_dates() const && = delete;

    /// The sequence that the plant follows now; valid as long as the instance.
    view<std::uint32_t> running_plan() const &
    {
        return shown(mks_flow_shop_instance_running_plan_view);
    }

    view<std::uint32_t> running_plan() const && = delete;

    bool has_blocking() const { return get(mks_flow_shop_instance_blocking) != 0; }

    std::string objective() const
    {
        return detail::copy_text(mks_flow_shop_instance_objective, native());
    }

    /// Number of stages of the objective.
    std::size_t stages() const { return get(mks_flow_shop_instance_stages); }

  private:
    struct sizes {
        std::size_t matrices, kinds, first_rows;
    };

    sizes setup_sizes() const
    {
        sizes of{};
        detail::check(
            mks_flow_shop_instance_setup_sizes(native(), &of.matrices, &of.kinds, &of.first_rows));
        return of;
    }

    friend class detail::problem_instance<instance, functions>;
    using problem_instance::problem_instance;
};

class result : public makespan::result {
  public:
    result(detail::result_handle handle, const instance &from)
        : makespan::result(std::move(handle)), jobs_(from.jobs()), machines_(from.machines()),
          stages_(from.stages())
    {
    }

    /// The value of each stage of the objective, the most important first.
    std::vector<std::int64_t> values() const
    {
        return detail::copy<std::int64_t>(stages_, mks_flow_shop_values, native());
    }

    /// The jobs in their sequence.
    std::vector<std::uint32_t> permutation() const
    {
        return detail::copy<std::uint32_t>(jobs_, mks_flow_shop_permutation, native());
    }

    /// The start times of the operations, all machines of job 0 first.
    std::vector<std::uint64_t> starts() const
    {
        return detail::copy<std::uint64_t>(jobs_ * machines_, mks_flow_shop_starts, native());
    }

  private:
    std::size_t jobs_;
    std::size_t machines_;
    std::size_t stages_;
};

inline result solve(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve(context, instance, given);
}

/// Results in the order of the instances, such as a std::vector<instance>.
inline std::vector<result> solve_batch(
    const context &context, view<instance> instances, const given_options &given = {})
{
    return detail::solve_batch(context, instances, given);
}

} // namespace flow_shop

/// Matrix chains, search trees, triangulations, and the general form of interval programs.
namespace interval_dp {

inline constexpr const char *name = "interval_dp";

enum class kind : std::int32_t {
    matrix_chain = MKS_INTERVAL_DP_KIND_MATRIX_CHAIN,
    search_tree = MKS_INTERVAL_DP_KIND_SEARCH_TREE,
    triangulation = MKS_INTERVAL_DP_KIND_TRIANGULATION,
};

struct chain {
    std::vector<std::uint32_t> splits; ///< The dimension that each product removes, in order.
    std::int64_t multiplications;
};

/// The cheapest order of multiplying matrices, with one call. Matrix i has dimensions[i] rows and
/// dimensions[i + 1] columns.
inline chain matrix_chain(view<std::int64_t> dimensions, seconds time_limit = no_limit)
{
    chain found{std::vector<std::uint32_t>(dimensions.size() > 2 ? dimensions.size() - 2 : 0), 0};
    detail::check(mks_interval_dp_matrix_chain(dimensions.data(), dimensions.size(),
        time_limit.count(), found.splits.data(), &found.multiplications));
    return found;
}

/// The general form with its defaults, to be filled in as makespan.h says. Its split_cost stays a C
/// function, which must not throw.
inline mks_interval_dp_form_i64 form_i64()
{
    mks_interval_dp_form_i64 form;
    detail::check(mks_interval_dp_form_i64_init(&form, sizeof form));
    return form;
}

/// The same in real numbers.
inline mks_interval_dp_form_f64 form_f64()
{
    mks_interval_dp_form_f64 form;
    detail::check(mks_interval_dp_form_f64_init(&form, sizeof form));
    return form;
}

/// An inner node of the tree: the interval from first to last, divided at split.
struct node {
    std::uint32_t first;
    std::uint32_t split;
    std::uint32_t last;
};

/// The C functions of this problem.
struct functions {
    using native = mks_interval_dp_instance;
    static constexpr auto free = mks_interval_dp_instance_free;
    static constexpr auto solve = mks_interval_dp_solve;
    static constexpr auto solve_batch = mks_interval_dp_solve_batch;
};

class result;

/// In whole numbers or in real ones, as the arrays are.
class instance : public detail::problem_instance<instance, functions> {
  public:
    using result = interval_dp::result;

    explicit instance(const mks_interval_dp_form_i64 &form)
        : instance(make(mks_interval_dp_instance_create_i64, &form))
    {
    }

    explicit instance(const mks_interval_dp_form_f64 &form)
        : instance(make(mks_interval_dp_instance_create_f64, &form))
    {
    }

    static instance matrix_chain(view<std::int64_t> dimensions)
    {
        return instance(
            make(mks_interval_dp_instance_matrix_chain_i64, dimensions.data(), dimensions.size()));
    }

    static instance matrix_chain(view<double> dimensions)
    {
        return instance(
            make(mks_interval_dp_instance_matrix_chain_f64, dimensions.data(), dimensions.size()));
    }

    /// There is one gap more than there are keys.
    static instance search_tree(view<std::int64_t> keys, view<std::int64_t> gaps)
    {
        detail::check_length("gaps", gaps.size(), keys.size() + 1);
        return instance(
            make(mks_interval_dp_instance_search_tree_i64, keys.data(), keys.size(), gaps.data()));
    }

    static instance search_tree(view<double> keys, view<double> gaps)
    {
        detail::check_length("gaps", gaps.size(), keys.size() + 1);
        return instance(
            make(mks_interval_dp_instance_search_tree_f64, keys.data(), keys.size(), gaps.data()));
    }

    /// A triangle costs the product of the weights of its vertices.
    static instance triangulation(view<std::int64_t> weights)
    {
        return instance(
            make(mks_interval_dp_instance_triangulation_i64, weights.data(), weights.size()));
    }

    static instance triangulation(view<double> weights)
    {
        return instance(
            make(mks_interval_dp_instance_triangulation_f64, weights.data(), weights.size()));
    }

    /// x and y of each vertex; a triangle costs the sum of the lengths of its edges.
    static instance convex_polygon(view<double> coordinates)
    {
        const std::size_t vertices = coordinates.size() / 2;
        detail::check_length("coordinates", coordinates.size(), 2 * vertices);
        return instance(
            make(mks_interval_dp_instance_convex_polygon, coordinates.data(), vertices));
    }

    static instance parse(kind kind, std::string_view text)
    {
        return instance(make(mks_interval_dp_instance_parse, static_cast<std::int32_t>(kind),
            text.data(), text.size()));
    }

    static instance read(kind kind, const std::string &path)
    {
        return instance(make(
            mks_interval_dp_instance_read, static_cast<std::int32_t>(kind), detail::text(path)));
    }

    /// `size` matrices, keys or vertices with whole numbers up to `largest`.
    static instance random(kind kind, std::size_t size, std::uint64_t seed, std::int64_t largest)
    {
        return instance(make(
            mks_interval_dp_instance_random, static_cast<std::int32_t>(kind), size, seed, largest));
    }

    /// Number of points: the number of leaves + 1.
    std::size_t points() const { return get(mks_interval_dp_instance_points); }

    /// Whether the numbers are real.
    bool is_real() const { return get(mks_interval_dp_instance_is_real) != 0; }

    /// The general form of an instance of whole numbers, with arrays that are valid as long as it.
    mks_interval_dp_form_i64 form_i64() const
    {
        mks_interval_dp_form_i64 form = interval_dp::form_i64();
        detail::check(mks_interval_dp_instance_form_i64_view(native(), &form));
        return form;
    }

    /// The same of real numbers.
    mks_interval_dp_form_f64 form_f64() const
    {
        mks_interval_dp_form_f64 form = interval_dp::form_f64();
        detail::check(mks_interval_dp_instance_form_f64_view(native(), &form));
        return form;
    }

    /// Checks a tree for whole numbers and returns its value. The nodes are in the order of a
    /// result.
    std::int64_t check_i64(view<node> nodes) const
    {
        return detail::get<std::int64_t>(
            mks_interval_dp_check_i64, native(), numbers(nodes).data(), nodes.size());
    }

    /// The same for real numbers.
    double check_f64(view<node> nodes) const
    {
        return detail::get<double>(
            mks_interval_dp_check_f64, native(), numbers(nodes).data(), nodes.size());
    }

  private:
    static std::vector<std::uint32_t> numbers(view<node> nodes)
    {
        std::vector<std::uint32_t> all;
        for (const node &one : nodes) {
            all.insert(all.end(), {one.first, one.split, one.last});
        }
        return all;
    }

    friend class detail::problem_instance<instance, functions>;
    using problem_instance::problem_instance;
};

class result : public makespan::result {
  public:
    result(detail::result_handle handle, const instance &) : makespan::result(std::move(handle)) {}

    /// The values of the option "cells" of whole numbers; valid as long as the result.
    view<std::int64_t> cell_values_i64() const &
    {
        return detail::shown<std::int64_t>(mks_interval_dp_cell_values_i64_view, native());
    }

    view<std::int64_t> cell_values_i64() const && = delete;

    /// The same of real numbers.
    view<double> cell_values_f64() const &
    {
        return detail::shown<double>(mks_interval_dp_cell_values_f64_view, native());
    }

    view<double> cell_values_f64() const && = delete;

    /// Largest possible error of these values.
    double cell_error() const { return detail::get<double>(mks_interval_dp_cell_error, native()); }

    /// Type of the computed cells, as the option "cell_type" spells it.
    std::string cell_type_used() const
    {
        return detail::get<const char *>(mks_interval_dp_cell_type_used, native());
    }

    /// The inner nodes, each before its parts. MKS_STATUS_NOT_AVAILABLE if the semiring has no
    /// tree.
    std::vector<node> nodes() const
    {
        const auto count = detail::get<std::size_t>(mks_interval_dp_node_count, native());
        const auto flat = detail::copy<std::uint32_t>(3 * count, mks_interval_dp_nodes, native());
        std::vector<node> all(count);
        for (std::size_t index = 0; index < count; index++) {
            all[index] = {flat[3 * index], flat[3 * index + 1], flat[3 * index + 2]};
        }
        return all;
    }

    /// The tree as a product, such as "((A1 A2) A3)".
    std::string parenthesisation() const
    {
        return detail::get<const char *>(mks_interval_dp_parenthesisation, native());
    }

    /// The tree in the DOT language.
    std::string dot() const { return detail::get<const char *>(mks_interval_dp_dot, native()); }
};

inline result solve(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve(context, instance, given);
}

/// Results in the order of the instances, such as a std::vector<instance>.
inline std::vector<result> solve_batch(
    const context &context, view<instance> instances, const given_options &given = {})
{
    return detail::solve_batch(context, instances, given);
}

} // namespace interval_dp

/// Items with profits, weights and copies, and a capacity.
namespace knapsack {

inline constexpr const char *name = "knapsack";

struct filled {
    std::vector<std::uint64_t> counts; ///< 1 for each item taken, 0 for the others.
    std::int64_t profit;
    std::int64_t bound; ///< No choice has a larger profit.
};

/// Fills a 0-1 knapsack with one call.
inline filled fill(view<std::uint64_t> profits,
    view<std::uint64_t> weights,
    std::uint64_t capacity,
    seconds time_limit = no_limit)
{
    detail::check_length("weights", weights.size(), profits.size());
    filled found{std::vector<std::uint64_t>(profits.size()), 0, 0};
    detail::check(mks_knapsack_fill(profits.data(), weights.data(), profits.size(), capacity,
        time_limit.count(), found.counts.data(), &found.profit, &found.bound));
    return found;
}

/// As many copies of an item as fit.
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The C functions of this problem.
struct functions {
    using native = mks_knapsack_instance;
    static constexpr auto free = mks_knapsack_instance_free;
    static constexpr auto parse = mks_knapsack_instance_parse;
    static constexpr auto read = mks_knapsack_instance_read;
    static constexpr auto solve = mks_knapsack_solve;
    static constexpr auto solve_batch = mks_knapsack_solve_batch;
};

class result;

class instance : public detail::problem_instance<instance, functions> {
  public:
    using result = knapsack::result;

    /// One of each item.
    instance(view<std::uint64_t> profits, view<std::uint64_t> weights, std::uint64_t capacity)
        : instance((detail::check_length("weights", weights.size(), profits.size()),
              make(mks_knapsack_instance_create,
                  profits.data(),
                  weights.data(),
                  nullptr,
                  profits.size(),
                  capacity)))
    {
    }

    /// With a number of copies of each item, or `unlimited`.
    instance(view<std::uint64_t> profits,
        view<std::uint64_t> weights,
        view<std::uint64_t> copies,
        std::uint64_t capacity)
        : instance((detail::check_length("weights", weights.size(), profits.size()),
              detail::check_length("copies", copies.size(), profits.size()),
              make(mks_knapsack_instance_create,
                  profits.data(),
                  weights.data(),
                  copies.data(),
                  profits.size(),
                  capacity)))
    {
    }

    std::size_t items() const { return get(mks_knapsack_instance_items); }

    std::uint64_t capacity() const { return get(mks_knapsack_instance_capacity); }

    std::vector<std::uint64_t> profits() const
    {
        return copy(items(), mks_knapsack_instance_profits);
    }

    std::vector<std::uint64_t> weights() const
    {
        return copy(items(), mks_knapsack_instance_weights);
    }

    std::vector<std::uint64_t> copies() const
    {
        return copy(items(), mks_knapsack_instance_copies);
    }

    /// A copy in which every selection has at least pinned[item] copies of each item.
    instance with_pinned(view<std::uint64_t> pinned) const
    {
        return instance(
            make(mks_knapsack_instance_with_pinned, native(), pinned.data(), pinned.size()));
    }

    /// The pinned copies of each item, or none; valid as long as the instance.
    view<std::uint64_t> pinned() const & { return shown(mks_knapsack_instance_pinned_view); }

    view<std::uint64_t> pinned() const && = delete;

    /// Checks a selection of counts[item] copies of each item and returns its profit.
    std::int64_t check(view<std::uint64_t> counts) const
    {
        return detail::get<std::int64_t>(
            mks_knapsack_check, native(), counts.data(), counts.size());
    }

  private:
    friend class detail::problem_instance<instance, functions>;
    using problem_instance::problem_instance;
};

class result : public makespan::result {
  public:
    result(detail::result_handle handle, const instance &from)
        : makespan::result(std::move(handle)), items_(from.items())
    {
    }

    /// Copies taken of each item.
    std::vector<std::uint64_t> counts() const
    {
        return detail::copy<std::uint64_t>(items_, mks_knapsack_counts, native());
    }

  private:
    std::size_t items_;
};

inline result solve(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve(context, instance, given);
}

/// Results in the order of the instances, such as a std::vector<instance>.
inline std::vector<result> solve_batch(
    const context &context, view<instance> instances, const given_options &given = {})
{
    return detail::solve_batch(context, instances, given);
}

/// The result of profile().
class profile_result : public makespan::result {
  public:
    profile_result(detail::result_handle handle, const instance &)
        : makespan::result(std::move(handle))
    {
    }

    /// The largest profit of each capacity from 0 on; valid as long as the result.
    view<std::uint64_t> values() const &
    {
        return detail::shown<std::uint64_t>(mks_knapsack_profile_view, native());
    }

    view<std::uint64_t> values() const && = delete;
};

/// Finds the largest profit for every capacity up to that of the instance.
inline profile_result profile(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve_by<profile_result>(mks_knapsack_profile, context, instance, given);
}

/// The result of solve_profits(). Its arrays are valid as long as it is.
class profits_result : public makespan::result {
  public:
    explicit profits_result(detail::result_handle handle) noexcept
        : makespan::result(std::move(handle))
    {
    }

    /// The largest profit of each knapsack.
    view<std::uint64_t> profits() const &
    {
        return detail::shown<std::uint64_t>(mks_knapsack_batch_profits_view, native());
    }

    view<std::uint64_t> profits() const && = delete;

    /// Copies taken of each item, one knapsack after the other.
    view<std::uint64_t> counts() const &
    {
        return detail::shown<std::uint64_t>(mks_knapsack_batch_counts_view, native());
    }

    view<std::uint64_t> counts() const && = delete;
};

/// Solves many knapsacks that differ in their profits only: profits[instances * items] holds one
/// knapsack after the other.
inline profits_result solve_profits(const context &context,
    const instance &instance,
    view<std::uint64_t> profits,
    std::size_t instances,
    const given_options &given = {})
{
    const std::size_t items = instance.items();
    detail::check_length("profits", profits.size(), detail::area(instances, items));
    const detail::progress_state::solve running(given.progress());
    mks_result *raw = nullptr;
    const mks_status status = mks_knapsack_solve_profits(
        context.native(), instance.native(), profits.data(), instances, given.native(), &raw);
    detail::result_handle handle(raw);
    running.finish(status);
    return profits_result(std::move(handle));
}

} // namespace knapsack

/// Items with profits, copies and weights in several dimensions, and a capacity for each dimension.
namespace multidimensional_knapsack {

inline constexpr const char *name = "multidimensional_knapsack";

struct filled {
    std::vector<std::uint64_t> counts; ///< 1 for each item taken, 0 for the others.
    std::int64_t profit;
    std::int64_t bound; ///< No choice has a larger profit.
};

/// Fills a 0-1 knapsack with one call. The weights of all items in the first dimension come first.
inline filled fill(view<std::uint64_t> profits,
    view<std::uint64_t> weights,
    view<std::uint64_t> capacities,
    seconds time_limit = no_limit)
{
    detail::check_length("weights", weights.size(), profits.size() * capacities.size());
    filled found{std::vector<std::uint64_t>(profits.size()), 0, 0};
    detail::check(mks_multidimensional_knapsack_fill(profits.data(), weights.data(), profits.size(),
        capacities.data(), capacities.size(), time_limit.count(), found.counts.data(),
        &found.profit, &found.bound));
    return found;
}

/// As many copies of an item as fit.
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The C functions of this problem.
struct functions {
    using native = mks_multidimensional_knapsack_instance;
    static constexpr auto free = mks_multidimensional_knapsack_instance_free;
    static constexpr auto parse = mks_multidimensional_knapsack_instance_parse;
    static constexpr auto read = mks_multidimensional_knapsack_instance_read;
    static constexpr auto solve = mks_multidimensional_knapsack_solve;
    static constexpr auto solve_batch = mks_multidimensional_knapsack_solve_batch;
};

class result;

class instance : public detail::problem_instance<instance, functions> {
  public:
    using result = multidimensional_knapsack::result;

    /// One of each item. The weights of all items in the first dimension come first.
    instance(
        view<std::uint64_t> profits, view<std::uint64_t> weights, view<std::uint64_t> capacities)
        : instance(
              (detail::check_length("weights", weights.size(), profits.size() * capacities.size()),
                  make(mks_multidimensional_knapsack_instance_create,
                      profits.data(),
                      weights.data(),
                      nullptr,
                      profits.size(),
                      capacities.data(),
                      capacities.size())))
    {
    }

    /// With a number of copies of each item, or `unlimited`.
    instance(view<std::uint64_t> profits,
        view<std::uint64_t> weights,
        view<std::uint64_t> copies,
        view<std::uint64_t> capacities)
        : instance(
              (detail::check_length("weights", weights.size(), profits.size() * capacities.size()),
                  detail::check_length("copies", copies.size(), profits.size()),
                  make(mks_multidimensional_knapsack_instance_create,
                      profits.data(),
                      weights.data(),
                      copies.data(),
                      profits.size(),
                      capacities.data(),
                      capacities.size())))
    {
    }

    std::size_t items() const { return get(mks_multidimensional_knapsack_instance_items); }

    std::size_t dimensions() const
    {
        return get(mks_multidimensional_knapsack_instance_dimensions);
    }

    std::vector<std::uint64_t> profits() const
    {
        return copy(items(), mks_multidimensional_knapsack_instance_profits);
    }

    /// Those of all items in the first dimension, then in the second one, and so on.
    std::vector<std::uint64_t> weights() const
    {
        return copy(items() * dimensions(), mks_multidimensional_knapsack_instance_weights);
    }

    std::vector<std::uint64_t> copies() const
    {
        return copy(items(), mks_multidimensional_knapsack_instance_copies);
    }

    std::vector<std::uint64_t> capacities() const
    {
        return copy(dimensions(), mks_multidimensional_knapsack_instance_capacities);
    }

    /// Checks a selection of counts[item] copies of each item and returns its profit.
    std::int64_t check(view<std::uint64_t> counts) const
    {
        return detail::get<std::int64_t>(
            mks_multidimensional_knapsack_check, native(), counts.data(), counts.size());
    }

  private:
    friend class detail::problem_instance<instance, functions>;
    using problem_instance::problem_instance;
};

class result : public makespan::result {
  public:
    result(detail::result_handle handle, const instance &from)
        : makespan::result(std::move(handle)), items_(from.items())
    {
    }

    /// Copies taken of each item.
    std::vector<std::uint64_t> counts() const
    {
        return detail::copy<std::uint64_t>(items_, mks_multidimensional_knapsack_counts, native());
    }

  private:
    std::size_t items_;
};

inline result solve(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve(context, instance, given);
}

/// Results in the order of the instances, such as a std::vector<instance>.
inline std::vector<result> solve_batch(
    const context &context, view<instance> instances, const given_options &given = {})
{
    return detail::solve_batch(context, instances, given);
}

} // namespace multidimensional_knapsack

/// Cheapest paths through a box, and packings that are solved as such.
namespace lattice_dp {

inline constexpr const char *name = "lattice_dp";

/// The cost of the cheapest path to the last cell, with one call; none if no path leads there.
/// offsets[costs.size() * sizes.size()] holds one vector after the other.
inline std::optional<std::int64_t> cost(view<std::uint64_t> sizes,
    view<std::uint64_t> offsets,
    view<std::uint64_t> costs,
    seconds time_limit = no_limit)
{
    detail::check_length("offsets", offsets.size(), detail::area(costs.size(), sizes.size()));
    const auto found = detail::get<std::int64_t>(mks_lattice_dp_cost, sizes.data(), sizes.size(),
        offsets.data(), costs.data(), costs.size(), time_limit.count());
    return found != INT64_MAX ? std::optional(found) : std::nullopt;
}

/// The C functions of this problem.
struct functions {
    using native = mks_lattice_dp_instance;
    static constexpr auto free = mks_lattice_dp_instance_free;
    static constexpr auto parse = mks_lattice_dp_instance_parse;
    static constexpr auto read = mks_lattice_dp_instance_read;
    static constexpr auto solve = mks_lattice_dp_solve;
    static constexpr auto solve_batch = mks_lattice_dp_solve_batch;
};

class result;

class instance : public detail::problem_instance<instance, functions> {
  public:
    using result = lattice_dp::result;

    /// A lattice; the arrays are those of cost().
    instance(view<std::uint64_t> sizes, view<std::uint64_t> offsets, view<std::uint64_t> costs)
        : instance((detail::check_length(
                        "offsets", offsets.size(), detail::area(costs.size(), sizes.size())),
              make(mks_lattice_dp_instance_create,
                  sizes.data(),
                  sizes.size(),
                  offsets.data(),
                  costs.data(),
                  costs.size())))
    {
    }

    /// Items with a size and a count each, for containers of one capacity.
    static instance packing(
        view<std::uint64_t> sizes, view<std::uint64_t> counts, std::uint64_t capacity)
    {
        detail::check_length("counts", counts.size(), sizes.size());
        return instance(make(
            mks_lattice_dp_packing_create, sizes.data(), counts.data(), sizes.size(), capacity));
    }

    /// Number of dimensions of a lattice, or of item types of a packing.
    std::size_t dimensions() const { return get(mks_lattice_dp_instance_dimensions); }

    /// Number of cells of a lattice; an error for a packing.
    std::uint64_t cells() const { return get(mks_lattice_dp_instance_cells); }

    /// The sizes of a lattice, or those of the item types of a packing.
    std::vector<std::uint64_t> sizes() const
    {
        return copy(dimensions(), mks_lattice_dp_instance_sizes);
    }

    /// The offset vectors of a lattice, one after the other.
    std::vector<std::uint64_t> offsets() const
    {
        return copy(offset_count() * dimensions(), mks_lattice_dp_instance_offsets);
    }

    /// Their costs.
    std::vector<std::uint64_t> costs() const
    {
        return copy(offset_count(), mks_lattice_dp_instance_costs);
    }

    /// The number of items of each type of a packing.
    std::vector<std::uint64_t> counts() const
    {
        return copy(dimensions(), mks_lattice_dp_packing_counts);
    }

    /// The capacity of a packing's containers.
    std::uint64_t capacity() const { return get(mks_lattice_dp_packing_capacity); }

    /// Checks a path and returns its cost. The steps are positions of offsets, as in a result.
    std::int64_t check(view<std::uint32_t> steps) const
    {
        return detail::get<std::int64_t>(
            mks_lattice_dp_check, native(), steps.data(), steps.size());
    }

    /// The number of containers that hold items, which are checked; each has a count of every type.
    std::int64_t check(const std::vector<std::vector<std::uint64_t>> &containers) const
    {
        std::vector<std::uint64_t> counts;
        for (const auto &container : containers) {
            detail::check_length("containers", container.size(), dimensions());
            counts.insert(counts.end(), container.begin(), container.end());
        }
        return detail::get<std::int64_t>(
            mks_lattice_dp_packing_check, native(), counts.data(), containers.size());
    }

  private:
    std::size_t offset_count() const { return get(mks_lattice_dp_instance_offset_count); }

    friend class detail::problem_instance<instance, functions>;
    using problem_instance::problem_instance;
};

class result : public makespan::result {
  public:
    result(detail::result_handle handle, const instance &from)
        : makespan::result(std::move(handle)), dimensions_(from.dimensions())
    {
    }

    /// The offset vectors of the path from the last cell back to cell 0, or the item counts of the
    /// containers.
    std::vector<std::vector<std::uint64_t>> steps() const
    {
        std::vector<std::vector<std::uint64_t>> all(step_count());
        for (std::size_t index = 0; index < all.size(); index++) {
            all[index] =
                detail::copy<std::uint64_t>(dimensions_, mks_lattice_dp_step, native(), index);
        }
        return all;
    }

    /// The position of each step's offset; MKS_STATUS_NOT_AVAILABLE for a packing.
    std::vector<std::uint32_t> positions() const
    {
        return detail::copy<std::uint32_t>(step_count(), mks_lattice_dp_positions, native());
    }

  private:
    std::size_t step_count() const
    {
        return detail::get<std::size_t>(mks_lattice_dp_step_count, native());
    }

    std::size_t dimensions_;
};

inline result solve(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve(context, instance, given);
}

/// Results in the order of the instances, such as a std::vector<instance>.
inline std::vector<result> solve_batch(
    const context &context, view<instance> instances, const given_options &given = {})
{
    return detail::solve_batch(context, instances, given);
}

} // namespace lattice_dp

/// Jobs on identical machines.
namespace parallel_machines {

inline constexpr const char *name = "parallel_machines";

struct assigned {
    std::vector<std::uint32_t> assignment; ///< The machine of each job, from 0.
    std::int64_t makespan;
    std::int64_t bound; ///< No schedule ends earlier.
};

/// Plans jobs with one call.
inline assigned assign(
    view<std::uint64_t> times, std::size_t machines, seconds time_limit = no_limit)
{
    assigned found{std::vector<std::uint32_t>(times.size()), 0, 0};
    detail::check(mks_parallel_machines(times.data(), times.size(), machines, time_limit.count(),
        found.assignment.data(), &found.makespan, &found.bound));
    return found;
}

/// The C functions of this problem.
struct functions {
    using native = mks_parallel_machines_instance;
    static constexpr auto free = mks_parallel_machines_instance_free;
    static constexpr auto parse = mks_parallel_machines_instance_parse;
    static constexpr auto read = mks_parallel_machines_instance_read;
    static constexpr auto solve = mks_parallel_machines_solve;
    static constexpr auto solve_batch = mks_parallel_machines_solve_batch;
};

class result;

class instance : public detail::problem_instance<instance, functions> {
  public:
    using result = parallel_machines::result;

    instance(view<std::uint64_t> times, std::size_t machines)
        : instance(
              make(mks_parallel_machines_instance_create, times.data(), times.size(), machines))
    {
    }

    std::size_t jobs() const { return get(mks_parallel_machines_instance_jobs); }

    std::size_t machines() const { return get(mks_parallel_machines_instance_machines); }

    std::vector<std::uint64_t> times() const
    {
        return copy(jobs(), mks_parallel_machines_instance_times);
    }

    /// A copy in which job pinned[k] runs on machine machines[k] in every schedule.
    instance with_pinned(view<std::uint32_t> pinned, view<std::uint32_t> machines) const
    {
        detail::check_length("machines", machines.size(), pinned.size());
        return instance(make(mks_parallel_machines_instance_with_pinned, native(), pinned.data(),
            machines.data(), pinned.size()));
    }

    /// The jobs that are pinned to machines; valid as long as the instance.
    view<std::uint32_t> pinned() const &
    {
        return shown(mks_parallel_machines_instance_pinned_view);
    }

    view<std::uint32_t> pinned() const && = delete;

    /// The machine of each pinned job; valid as long as the instance.
    view<std::uint32_t> pinned_machines() const &
    {
        return shown(mks_parallel_machines_instance_pinned_machines_view);
    }

    view<std::uint32_t> pinned_machines() const && = delete;

    /// Checks a schedule, with job j on machine assignment[j], and returns the time at which its
    /// last job ends.
    std::int64_t check(view<std::uint32_t> assignment) const
    {
        return detail::get<std::int64_t>(
            mks_parallel_machines_check, native(), assignment.data(), assignment.size());
    }

  private:
    friend class detail::problem_instance<instance, functions>;
    using problem_instance::problem_instance;
};

class result : public makespan::result {
  public:
    result(detail::result_handle handle, const instance &from)
        : makespan::result(std::move(handle)), jobs_(from.jobs())
    {
    }

    /// The machine of each job, from 0.
    std::vector<std::uint32_t> assignment() const
    {
        return detail::copy<std::uint32_t>(jobs_, mks_parallel_machines_assignment, native());
    }

    /// The start time of each job.
    std::vector<std::uint64_t> starts() const
    {
        return detail::copy<std::uint64_t>(jobs_, mks_parallel_machines_starts, native());
    }

  private:
    std::size_t jobs_;
};

inline result solve(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve(context, instance, given);
}

/// Results in the order of the instances, such as a std::vector<instance>.
inline std::vector<result> solve_batch(
    const context &context, view<instance> instances, const given_options &given = {})
{
    return detail::solve_batch(context, instances, given);
}

} // namespace parallel_machines

/// Tables in which an element depends on elements at fixed distances before it.
namespace recurrence {

inline constexpr const char *name = "recurrence";

/// The element that no choice reaches, of (min,+).
inline constexpr std::int64_t unreachable = std::numeric_limits<std::int64_t>::max();

/// Fills a (min,+) table with one call. offsets decrease; weights has one for each offset, or none
/// if all are 0; initial has as many values as the first offset says.
inline std::vector<std::int64_t> min_plus(view<std::uint64_t> offsets,
    view<std::int64_t> weights,
    view<std::int64_t> initial,
    std::size_t length,
    seconds time_limit = no_limit)
{
    if (!weights.empty()) {
        detail::check_length("weights", weights.size(), offsets.size());
    }
    if (!offsets.empty() && initial.size() != offsets[0]) {
        detail::refuse("initial: has " + std::to_string(initial.size())
            + " entries, the first offset is " + std::to_string(offsets[0]));
    }
    std::vector<std::int64_t> values(length);
    detail::check(
        mks_recurrence_min_plus(offsets.data(), weights.empty() ? nullptr : weights.data(),
            offsets.size(), initial.data(), length, time_limit.count(), values.data()));
    return values;
}

/// A definition with its defaults, to be filled in as makespan.h says. Its operators stay C
/// functions, which must not throw.
inline mks_recurrence_definition definition()
{
    mks_recurrence_definition definition;
    detail::check(mks_recurrence_definition_init(&definition, sizeof definition));
    return definition;
}

/// The C functions of this problem.
struct functions {
    using native = mks_recurrence_instance;
    static constexpr auto free = mks_recurrence_instance_free;
    static constexpr auto solve = mks_recurrence_solve;
    static constexpr auto solve_batch = mks_recurrence_solve_batch;
};

class result;

/// A recurrence, or a batch of recurrences with the same offsets.
class instance : public detail::problem_instance<instance, functions> {
  public:
    using result = recurrence::result;

    explicit instance(const mks_recurrence_definition &definition)
        : instance(make(mks_recurrence_instance_create, &definition))
    {
    }

    /// A 0-1 knapsack as a recurrence.
    static instance knapsack(
        view<std::uint64_t> profits, view<std::uint64_t> weights, std::uint64_t capacity)
    {
        detail::check_length("weights", weights.size(), profits.size());
        return instance(make(mks_recurrence_instance_create_knapsack, profits.data(),
            weights.data(), profits.size(), capacity));
    }

    /// A limit of 0 bytes takes half of the free memory; set one for texts that are not trusted.
    static instance parse(std::string_view text, std::uint64_t memory_limit_bytes = 0)
    {
        return instance(make(
            mks_recurrence_instance_parse_within, text.data(), text.size(), memory_limit_bytes));
    }

    static instance read(const std::string &path, std::uint64_t memory_limit_bytes = 0)
    {
        return instance(
            make(mks_recurrence_instance_read_within, detail::text(path), memory_limit_bytes));
    }

    /// Number of elements of each table.
    std::uint64_t length() const { return get(mks_recurrence_instance_length); }

    /// Number of initial elements of each table.
    std::uint64_t preset() const { return get(mks_recurrence_instance_preset); }

    /// Number of tables.
    std::size_t count() const { return get(mks_recurrence_instance_count); }

    /// Largest p for which the p-fold pipeline is correct.
    std::uint64_t largest_fold() const { return get(mks_recurrence_instance_largest_fold); }

    /// What the instance was made of, with arrays that are valid as long as the instance.
    mks_recurrence_definition definition() const
    {
        mks_recurrence_definition definition = recurrence::definition();
        detail::check(mks_recurrence_instance_definition_view(native(), &definition));
        return definition;
    }

    /// Weights of the items of a knapsack.
    view<std::uint64_t> weights() const & { return shown(mks_recurrence_instance_weights_view); }

    view<std::uint64_t> weights() const && = delete;

    /// Their profits.
    view<std::int64_t> profits() const & { return shown(mks_recurrence_instance_profits_view); }

    view<std::int64_t> profits() const && = delete;

    /// The last element of the first table, after a check of all tables.
    std::int64_t check(view<std::int64_t> values) const
    {
        return detail::get<std::int64_t>(
            mks_recurrence_check, native(), values.data(), values.size());
    }

  private:
    friend class detail::problem_instance<instance, functions>;
    using problem_instance::problem_instance;
};

/// Its arrays are valid as long as it is.
class result : public makespan::result {
  public:
    result(detail::result_handle handle, const instance &) : makespan::result(std::move(handle)) {}

    /// The whole tables, one after the other; MKS_STATUS_NOT_AVAILABLE if the option "values" was
    /// "last".
    view<std::int64_t> values() const &
    {
        return detail::shown<std::int64_t>(mks_recurrence_values_view, native());
    }

    view<std::int64_t> values() const && = delete;

    /// The last element of each table.
    view<std::int64_t> last() const &
    {
        return detail::shown<std::int64_t>(mks_recurrence_last_view, native());
    }

    view<std::int64_t> last() const && = delete;

    /// The choices, one table after the other; MKS_STATUS_NOT_AVAILABLE if the option "choices" was
    /// false.
    view<std::uint32_t> choices() const &
    {
        return detail::shown<std::uint32_t>(mks_recurrence_choices_view, native());
    }

    view<std::uint32_t> choices() const && = delete;
};

inline result solve(
    const context &context, const instance &instance, const given_options &given = {})
{
    return detail::solve(context, instance, given);
}

/// Results in the order of the instances, such as a std::vector<instance>.
inline std::vector<result> solve_batch(
    const context &context, view<instance> instances, const given_options &given = {})
{
    return detail::solve_batch(context, instances, given);
}

} // namespace recurrence

} // namespace makespan

#endif
