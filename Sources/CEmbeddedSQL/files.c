#include "CEmbeddedSQL.h"

// The compiler reads the files itself and knows that this object depends on them. A test holds the list complete.

static const unsigned char apps_importer[] = {
#embed "../../sql/apps/importer.sql"
};
static const unsigned char apps_impulse[] = {
#embed "../../sql/apps/impulse.sql"
};
static const unsigned char apps_langchat[] = {
#embed "../../sql/apps/langchat.sql"
};
static const unsigned char apps_strikelab[] = {
#embed "../../sql/apps/strikelab.sql"
};
static const unsigned char apps_xtablo[] = {
#embed "../../sql/apps/xtablo.sql"
};
static const unsigned char catalog_allowed_values[] = {
#embed "../../sql/catalog/allowed_values.sql"
};
static const unsigned char catalog_columns[] = {
#embed "../../sql/catalog/columns.sql"
};
static const unsigned char catalog_environment[] = {
#embed "../../sql/catalog/environment.sql"
};
static const unsigned char catalog_foreign_keys[] = {
#embed "../../sql/catalog/foreign_keys.sql"
};
static const unsigned char catalog_graph_columns[] = {
#embed "../../sql/catalog/graph_columns.sql"
};
static const unsigned char catalog_graph_references[] = {
#embed "../../sql/catalog/graph_references.sql"
};
static const unsigned char catalog_graph_tables[] = {
#embed "../../sql/catalog/graph_tables.sql"
};
static const unsigned char catalog_relations[] = {
#embed "../../sql/catalog/relations.sql"
};
static const unsigned char catalog_root_columns[] = {
#embed "../../sql/catalog/root_columns.sql"
};
static const unsigned char catalog_session[] = {
#embed "../../sql/catalog/session.sql"
};
static const unsigned char catalog_suspects[] = {
#embed "../../sql/catalog/suspects.sql"
};
static const unsigned char catalog_trigger_effects[] = {
#embed "../../sql/catalog/trigger_effects.sql"
};
static const unsigned char catalog_types[] = {
#embed "../../sql/catalog/types.sql"
};
static const unsigned char catalog_unindexed_references[] = {
#embed "../../sql/catalog/unindexed_references.sql"
};
static const unsigned char demo_importer_sample[] = {
#embed "../../sql/demo/importer_sample.sql"
};
static const unsigned char demo_importer_schema[] = {
#embed "../../sql/demo/importer_schema.sql"
};
static const unsigned char demo_impulse_sample[] = {
#embed "../../sql/demo/impulse_sample.sql"
};
static const unsigned char demo_impulse_schema[] = {
#embed "../../sql/demo/impulse_schema.sql"
};
static const unsigned char demo_langchat_sample[] = {
#embed "../../sql/demo/langchat_sample.sql"
};
static const unsigned char demo_langchat_schema[] = {
#embed "../../sql/demo/langchat_schema.sql"
};
static const unsigned char demo_strikelab_sample[] = {
#embed "../../sql/demo/strikelab_sample.sql"
};
static const unsigned char demo_strikelab_schema[] = {
#embed "../../sql/demo/strikelab_schema.sql"
};
static const unsigned char demo_supabase_schema[] = {
#embed "../../sql/demo/supabase_schema.sql"
};
static const unsigned char demo_xtablo_sample[] = {
#embed "../../sql/demo/xtablo_sample.sql"
};
static const unsigned char demo_xtablo_schema[] = {
#embed "../../sql/demo/xtablo_schema.sql"
};
static const unsigned char platform_supabase[] = {
#embed "../../sql/platform/supabase.sql"
};
static const unsigned char usher_mark_environment[] = {
#embed "../../sql/usher/mark_environment.sql"
};
static const unsigned char usher_schema[] = {
#embed "../../sql/usher/schema.sql"
};

#define ENTRY(path, bytes) {path, bytes, sizeof bytes}

static const struct embedded_sql files[] = {
    ENTRY("apps/importer.sql", apps_importer),
    ENTRY("apps/impulse.sql", apps_impulse),
    ENTRY("apps/langchat.sql", apps_langchat),
    ENTRY("apps/strikelab.sql", apps_strikelab),
    ENTRY("apps/xtablo.sql", apps_xtablo),
    ENTRY("catalog/allowed_values.sql", catalog_allowed_values),
    ENTRY("catalog/columns.sql", catalog_columns),
    ENTRY("catalog/environment.sql", catalog_environment),
    ENTRY("catalog/foreign_keys.sql", catalog_foreign_keys),
    ENTRY("catalog/graph_columns.sql", catalog_graph_columns),
    ENTRY("catalog/graph_references.sql", catalog_graph_references),
    ENTRY("catalog/graph_tables.sql", catalog_graph_tables),
    ENTRY("catalog/relations.sql", catalog_relations),
    ENTRY("catalog/root_columns.sql", catalog_root_columns),
    ENTRY("catalog/session.sql", catalog_session),
    ENTRY("catalog/suspects.sql", catalog_suspects),
    ENTRY("catalog/trigger_effects.sql", catalog_trigger_effects),
    ENTRY("catalog/types.sql", catalog_types),
    ENTRY("catalog/unindexed_references.sql", catalog_unindexed_references),
    ENTRY("demo/importer_sample.sql", demo_importer_sample),
    ENTRY("demo/importer_schema.sql", demo_importer_schema),
    ENTRY("demo/impulse_sample.sql", demo_impulse_sample),
    ENTRY("demo/impulse_schema.sql", demo_impulse_schema),
    ENTRY("demo/langchat_sample.sql", demo_langchat_sample),
    ENTRY("demo/langchat_schema.sql", demo_langchat_schema),
    ENTRY("demo/strikelab_sample.sql", demo_strikelab_sample),
    ENTRY("demo/strikelab_schema.sql", demo_strikelab_schema),
    ENTRY("demo/supabase_schema.sql", demo_supabase_schema),
    ENTRY("demo/xtablo_sample.sql", demo_xtablo_sample),
    ENTRY("demo/xtablo_schema.sql", demo_xtablo_schema),
    ENTRY("platform/supabase.sql", platform_supabase),
    ENTRY("usher/mark_environment.sql", usher_mark_environment),
    ENTRY("usher/schema.sql", usher_schema),
};

const struct embedded_sql *embedded_sql_at(size_t index) {
    return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
