/* Entry of the server into this module. */
#include <postgres.h>

#include <fmgr.h>
#include <makespan.h>
#include <utils/builtins.h>

#include "settings.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(makespan_version);

void _PG_init(void);

void _PG_init(void)
{
    if (mks_abi_number() != MKS_ABI_NUMBER) {
        ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR),
            errmsg("the library makespan %s does not fit this extension", mks_version_string()),
            errdetail(
                "Its ABI number is %u, the extension needs %d.", mks_abi_number(), MKS_ABI_NUMBER),
            errhint("Build the extension again."));
    }
    mkspg_define_settings();
}

Datum makespan_version(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    PG_RETURN_TEXT_P(cstring_to_text(mks_version_string()));
}
