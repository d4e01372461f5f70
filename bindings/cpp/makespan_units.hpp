/*
 * makespan for C++17: units of work, to prove optima on many machines.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * This header uses makespan_units.h. The comments there are the manual of units; what makespan.hpp
 * says of handles, errors, arrays and threads holds here, too.
 *
 *     makespan::context context;
 *     const auto shop = makespan::flow_shop::instance::named("ta014");
 *     makespan::options options(makespan::flow_shop::name);
 *     options.set("method", "branch-and-bound").set("upper_bound", 1377);
 *     auto parts = makespan::flow_shop::unit(shop, options).split(2);
 *     makespan::flow_shop::upper_bound bound;
 *     for (auto &part : parts) {
 *         part.run(context, bound); // Or elsewhere: bytes() and unit(shop, options, bytes).
 *     }
 *     parts[0].merge(parts[1]);
 */
#ifndef MAKESPAN_UNITS_HPP
#define MAKESPAN_UNITS_HPP

#include <makespan.hpp>
#include <makespan_units.h>

namespace makespan {
namespace flow_shop {

/// An upper bound that runs of units share. Any thread may use it at any time, also during runs.
class upper_bound {
  public:
    upper_bound()
        : handle_(detail::get<mks_flow_shop_upper_bound *>(mks_flow_shop_upper_bound_create))
    {
    }

    /// Lets runs look only for schedules shorter than this makespan. A higher one changes nothing.
    void lower(std::uint64_t makespan) const
    {
        detail::check(mks_flow_shop_upper_bound_lower(native(), makespan));
    }

    /// The lowest makespan so far; none before there is one.
    std::optional<std::uint64_t> get() const
    {
        const auto makespan = detail::get<std::uint64_t>(mks_flow_shop_upper_bound_get, native());
        return makespan != std::numeric_limits<std::uint64_t>::max() ? std::optional(makespan)
                                                                     : std::nullopt;
    }

    mks_flow_shop_upper_bound *native() const noexcept { return handle_.get(); }

  private:
    detail::handle<mks_flow_shop_upper_bound, mks_flow_shop_upper_bound_free> handle_;
};

/// A part of the proof of branch and bound. The options of its constructors are those of
/// flow_shop::name with the method "branch-and-bound".
class unit {
  public:
    /// A schedule with its makespan.
    struct schedule {
        std::vector<std::uint32_t> permutation;
        std::int64_t makespan;
    };

    /// The whole proof.
    unit(const instance &of, const given_options &given)
        : unit(of.jobs(),
              detail::get<mks_flow_shop_unit *>(
                  mks_flow_shop_unit_create, of.native(), given.native()))
    {
    }

    /// The unit that bytes() gave, for the same instance, bound and branching.
    unit(const instance &of, const given_options &given, view<std::uint8_t> bytes)
        : unit(of.jobs(),
              detail::get<mks_flow_shop_unit *>(mks_flow_shop_unit_from_bytes,
                  of.native(),
                  given.native(),
                  bytes.data(),
                  bytes.size()))
    {
    }

    /// The search that a checkpoint holds.
    static unit read_checkpoint(
        const instance &of, const given_options &given, const std::string &path)
    {
        return unit(of.jobs(),
            detail::get<mks_flow_shop_unit *>(mks_flow_shop_unit_read_checkpoint, of.native(),
                given.native(), detail::text(path)));
    }

    /// The unit as bytes that can be sent and kept. They are valid until the unit changes or ends.
    view<std::uint8_t> bytes() const
    {
        return detail::shown<std::uint8_t>(mks_flow_shop_unit_bytes_view, native());
    }

    void write_checkpoint(const std::string &path) const
    {
        detail::check(mks_flow_shop_unit_write_checkpoint(native(), detail::text(path)));
    }

    /// Disjoint parts that together are this unit, which stays as it is: let it end, or its work is
    /// done twice.
    std::vector<unit> split(std::size_t count) const
    {
        std::vector<mks_flow_shop_unit *> raw(count);
        std::vector<unit> parts;
        parts.reserve(count);
        detail::check(mks_flow_shop_unit_split(native(), count, raw.data()));
        for (mks_flow_shop_unit *part : raw) {
            parts.push_back(unit(jobs_, part));
        }
        return parts;
    }

    /// Works on the unit until it is done or the budget of the options ends. Returns the number of
    /// decomposed nodes.
    std::uint64_t run(
        const context &context, const upper_bound &bound, const given_options &given = {})
    {
        const detail::progress_state::solve running(given.progress());
        std::uint64_t nodes = 0;
        running.finish(mks_flow_shop_unit_run(
            context.native(), native(), given.native(), bound.native(), &nodes));
        return nodes;
    }

    /// Removes what is no longer open in what remains of this unit after a run elsewhere.
    void intersect(const unit &remainder)
    {
        detail::check(mks_flow_shop_unit_intersect(native(), remainder.native()));
    }

    /// Adds another unit of the same tree, which stays as it is.
    void merge(const unit &other)
    {
        detail::check(mks_flow_shop_unit_merge(native(), other.native()));
    }

    void set_epoch(std::uint64_t epoch)
    {
        detail::check(mks_flow_shop_unit_set_epoch(native(), epoch));
    }

    /// Takes over a schedule that was found elsewhere, if it is better.
    void offer(view<std::uint32_t> permutation)
    {
        detail::check(mks_flow_shop_unit_offer(native(), permutation.data(), permutation.size()));
    }

    /// The best schedule that the unit knows.
    schedule best() const
    {
        schedule found{std::vector<std::uint32_t>(jobs_), 0};
        detail::check(mks_flow_shop_unit_best(
            native(), found.permutation.data(), found.permutation.size(), &found.makespan));
        return found;
    }

    /// Whether no node is open: no schedule in this part is shorter than limit().
    bool is_done() const { return get<std::int32_t>(mks_flow_shop_unit_is_done) != 0; }

    std::int64_t limit() const { return get<std::int64_t>(mks_flow_shop_unit_limit); }

    /// No schedule in this part that is shorter than limit() is shorter than this.
    std::int64_t bound() const { return get<std::int64_t>(mks_flow_shop_unit_bound); }

    /// Nodes that runs have decomposed.
    std::uint64_t nodes() const { return get<std::uint64_t>(mks_flow_shop_unit_nodes); }

    std::size_t open_nodes() const { return get<std::size_t>(mks_flow_shop_unit_open_nodes); }

    /// The number under which the unit was given out; 0 for none.
    std::uint64_t epoch() const { return get<std::uint64_t>(mks_flow_shop_unit_epoch); }

    mks_flow_shop_unit *native() const noexcept { return handle_.get(); }

  private:
    unit(std::size_t jobs, mks_flow_shop_unit *native) noexcept : jobs_(jobs), handle_(native) {}

    template <class Out> Out get(mks_status (*call)(const mks_flow_shop_unit *, Out *)) const
    {
        return detail::get<Out>(call, native());
    }

    std::size_t jobs_;
    detail::handle<mks_flow_shop_unit, mks_flow_shop_unit_free> handle_;
};

} // namespace flow_shop
} // namespace makespan

#endif
