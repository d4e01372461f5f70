/* Shared by the C++ test programs: checks that name the line at fault. */
#ifndef CHECK_HPP
#define CHECK_HPP

#include <makespan.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1); \
        } \
    } while (0)

/* The expression throws makespan::error with this status, and its text contains these words. */
#define CHECK_THROWS(expression, expected, words) \
    do { \
        mks_status thrown = MKS_STATUS_OK; \
        try { \
            static_cast<void>(expression); \
        } catch (const makespan::error &error) { \
            thrown = error.status(); \
            if (std::strstr(error.what(), words) == nullptr) { \
                std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, error.what()); \
                std::exit(1); \
            } \
        } \
        CHECK(thrown == (expected)); \
    } while (0)

#define REFUSED(expression, words) CHECK_THROWS(expression, MKS_STATUS_INVALID_ARGUMENT, words)

/* A context that never looks for a device. */
inline makespan::context cpu_context()
{
    return makespan::context(makespan::options("context").set("engine", "cpu").set("threads", 2));
}

#endif
