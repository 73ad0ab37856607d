#include "CEmbeddedSQL.h"

// The compiler reads the files itself and knows that this object depends on them. A test holds the list complete.

static const unsigned char apps_impulse[] = {
#embed "../../sql/apps/impulse.sql"
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
static const unsigned char catalog_relations[] = {
#embed "../../sql/catalog/relations.sql"
};
static const unsigned char catalog_session[] = {
#embed "../../sql/catalog/session.sql"
};
static const unsigned char catalog_unindexed_references[] = {
#embed "../../sql/catalog/unindexed_references.sql"
};
static const unsigned char demo_impulse_sample[] = {
#embed "../../sql/demo/impulse_sample.sql"
};
static const unsigned char demo_impulse_schema[] = {
#embed "../../sql/demo/impulse_schema.sql"
};
static const unsigned char demo_supabase_schema[] = {
#embed "../../sql/demo/supabase_schema.sql"
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
    ENTRY("apps/impulse.sql", apps_impulse),
    ENTRY("catalog/columns.sql", catalog_columns),
    ENTRY("catalog/environment.sql", catalog_environment),
    ENTRY("catalog/foreign_keys.sql", catalog_foreign_keys),
    ENTRY("catalog/relations.sql", catalog_relations),
    ENTRY("catalog/session.sql", catalog_session),
    ENTRY("catalog/unindexed_references.sql", catalog_unindexed_references),
    ENTRY("demo/impulse_sample.sql", demo_impulse_sample),
    ENTRY("demo/impulse_schema.sql", demo_impulse_schema),
    ENTRY("demo/supabase_schema.sql", demo_supabase_schema),
    ENTRY("platform/supabase.sql", platform_supabase),
    ENTRY("usher/mark_environment.sql", usher_mark_environment),
    ENTRY("usher/schema.sql", usher_schema),
};

const struct embedded_sql *embedded_sql_at(size_t index) {
    return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
