/* Prints the view "plan" of a database: what each machine does, and when. The environment names the
 * server and the database, as for psql. */
#include <libpq-fe.h>
#include <stdio.h>

int main(void)
{
    PGconn *connection = PQconnectdb("");
    PGresult *plan = PQexec(
        connection, "SELECT machine, job, starts, ends, status FROM plan ORDER BY machine, starts");
    int failed = PQresultStatus(plan) != PGRES_TUPLES_OK;
    if (failed) {
        /* The message has the hint, and where the fault is. */
        fprintf(stderr, "%s", PQerrorMessage(connection));
    }
    for (int row = 0; row < PQntuples(plan); row++) {
        printf("machine %s: %s from %s to %s\n", PQgetvalue(plan, row, 0), PQgetvalue(plan, row, 1),
            PQgetvalue(plan, row, 2), PQgetvalue(plan, row, 3));
    }
    if (PQntuples(plan) > 0) {
        printf("the plan is %s\n", PQgetvalue(plan, 0, 4));
    }
    PQclear(plan);
    PQfinish(connection);
    return failed;
}
