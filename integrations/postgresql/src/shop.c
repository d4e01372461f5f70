/* The instance of a flow shop. Each piece that is read changes it. */
#include "shop.h"

#include "status.h"

const mks_flow_shop_instance *mkspg_flow_shop_instance(const FlowShop *shop)
{
    return shop->handle->pointer;
}

void mkspg_change(FlowShop *shop,
    const char *argument,
    const Labels *labels,
    mks_status status,
    mks_flow_shop_instance *const *changed)
{
    mkspg_check_query(status, argument, labels);
    mkspg_replace(shop->handle, *changed);
}
