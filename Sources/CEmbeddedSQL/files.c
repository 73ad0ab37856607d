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
static const unsigned char catalog_archive_seal[] = {
#embed "../../sql/catalog/archive_seal.sql"
};
static const unsigned char catalog_audit_changes[] = {
#embed "../../sql/catalog/audit_changes.sql"
};
static const unsigned char catalog_audit_columns[] = {
#embed "../../sql/catalog/audit_columns.sql"
};
static const unsigned char catalog_audit_erasures[] = {
#embed "../../sql/catalog/audit_erasures.sql"
};
static const unsigned char catalog_audit_list[] = {
#embed "../../sql/catalog/audit_list.sql"
};
static const unsigned char catalog_audit_show[] = {
#embed "../../sql/catalog/audit_show.sql"
};
static const unsigned char catalog_audit_timeline[] = {
#embed "../../sql/catalog/audit_timeline.sql"
};
static const unsigned char catalog_base_columns[] = {
#embed "../../sql/catalog/base_columns.sql"
};
static const unsigned char catalog_bulk_batches[] = {
#embed "../../sql/catalog/bulk_batches.sql"
};
static const unsigned char catalog_bulk_progress[] = {
#embed "../../sql/catalog/bulk_progress.sql"
};
static const unsigned char catalog_bulk_unfinished[] = {
#embed "../../sql/catalog/bulk_unfinished.sql"
};
static const unsigned char catalog_change_counters[] = {
#embed "../../sql/catalog/change_counters.sql"
};
static const unsigned char catalog_columns[] = {
#embed "../../sql/catalog/columns.sql"
};
static const unsigned char catalog_copy_columns[] = {
#embed "../../sql/catalog/copy_columns.sql"
};
static const unsigned char catalog_environment[] = {
#embed "../../sql/catalog/environment.sql"
};
static const unsigned char catalog_erasure_keepers[] = {
#embed "../../sql/catalog/erasure_keepers.sql"
};
static const unsigned char catalog_erasure_unfinished[] = {
#embed "../../sql/catalog/erasure_unfinished.sql"
};
static const unsigned char catalog_erasure_written[] = {
#embed "../../sql/catalog/erasure_written.sql"
};
static const unsigned char catalog_fence[] = {
#embed "../../sql/catalog/fence.sql"
};
static const unsigned char catalog_foreign_keys[] = {
#embed "../../sql/catalog/foreign_keys.sql"
};
static const unsigned char catalog_grantable_tables[] = {
#embed "../../sql/catalog/grantable_tables.sql"
};
static const unsigned char catalog_granted_privileges[] = {
#embed "../../sql/catalog/granted_privileges.sql"
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
static const unsigned char catalog_helper_indexes[] = {
#embed "../../sql/catalog/helper_indexes.sql"
};
static const unsigned char catalog_index_leads[] = {
#embed "../../sql/catalog/index_leads.sql"
};
static const unsigned char catalog_install[] = {
#embed "../../sql/catalog/install.sql"
};
static const unsigned char catalog_install_remains[] = {
#embed "../../sql/catalog/install_remains.sql"
};
static const unsigned char catalog_ledger[] = {
#embed "../../sql/catalog/ledger.sql"
};
static const unsigned char catalog_loose_references[] = {
#embed "../../sql/catalog/loose_references.sql"
};
static const unsigned char catalog_open_writers[] = {
#embed "../../sql/catalog/open_writers.sql"
};
static const unsigned char catalog_pending_files[] = {
#embed "../../sql/catalog/pending_files.sql"
};
static const unsigned char catalog_remade_tables[] = {
#embed "../../sql/catalog/remade_tables.sql"
};
static const unsigned char catalog_required_privileges[] = {
#embed "../../sql/catalog/required_privileges.sql"
};
static const unsigned char catalog_residue_columns[] = {
#embed "../../sql/catalog/residue_columns.sql"
};
static const unsigned char catalog_root_columns[] = {
#embed "../../sql/catalog/root_columns.sql"
};
static const unsigned char catalog_seal[] = {
#embed "../../sql/catalog/seal.sql"
};
static const unsigned char catalog_session[] = {
#embed "../../sql/catalog/session.sql"
};
static const unsigned char catalog_single_keys[] = {
#embed "../../sql/catalog/single_keys.sql"
};
static const unsigned char catalog_suspects[] = {
#embed "../../sql/catalog/suspects.sql"
};
static const unsigned char catalog_table_columns[] = {
#embed "../../sql/catalog/table_columns.sql"
};
static const unsigned char catalog_table_indexes[] = {
#embed "../../sql/catalog/table_indexes.sql"
};
static const unsigned char catalog_table_policies[] = {
#embed "../../sql/catalog/table_policies.sql"
};
static const unsigned char catalog_table_shapes[] = {
#embed "../../sql/catalog/table_shapes.sql"
};
static const unsigned char catalog_tables[] = {
#embed "../../sql/catalog/tables.sql"
};
static const unsigned char catalog_trigger_effects[] = {
#embed "../../sql/catalog/trigger_effects.sql"
};
static const unsigned char catalog_trigrams[] = {
#embed "../../sql/catalog/trigrams.sql"
};
static const unsigned char catalog_typed_answers[] = {
#embed "../../sql/catalog/typed_answers.sql"
};
static const unsigned char catalog_typed_clock[] = {
#embed "../../sql/catalog/typed_clock.sql"
};
static const unsigned char catalog_typed_date[] = {
#embed "../../sql/catalog/typed_date.sql"
};
static const unsigned char catalog_typed_reading[] = {
#embed "../../sql/catalog/typed_reading.sql"
};
static const unsigned char catalog_typed_time[] = {
#embed "../../sql/catalog/typed_time.sql"
};
static const unsigned char catalog_typed_types[] = {
#embed "../../sql/catalog/typed_types.sql"
};
static const unsigned char catalog_typed_values[] = {
#embed "../../sql/catalog/typed_values.sql"
};
static const unsigned char catalog_types[] = {
#embed "../../sql/catalog/types.sql"
};
static const unsigned char catalog_undo_groups[] = {
#embed "../../sql/catalog/undo_groups.sql"
};
static const unsigned char catalog_undo_operation[] = {
#embed "../../sql/catalog/undo_operation.sql"
};
static const unsigned char catalog_unindexed_references[] = {
#embed "../../sql/catalog/unindexed_references.sql"
};
static const unsigned char catalog_unique_keys[] = {
#embed "../../sql/catalog/unique_keys.sql"
};
static const unsigned char catalog_writable[] = {
#embed "../../sql/catalog/writable.sql"
};
static const unsigned char catalog_written_relations[] = {
#embed "../../sql/catalog/written_relations.sql"
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
static const unsigned char usher_forget[] = {
#embed "../../sql/usher/forget.sql"
};
static const unsigned char usher_grants[] = {
#embed "../../sql/usher/grants.sql"
};
static const unsigned char usher_head[] = {
#embed "../../sql/usher/head.sql"
};
static const unsigned char usher_leaf[] = {
#embed "../../sql/usher/leaf.sql"
};
static const unsigned char usher_mark_environment[] = {
#embed "../../sql/usher/mark_environment.sql"
};
static const unsigned char usher_outcome[] = {
#embed "../../sql/usher/outcome.sql"
};
static const unsigned char usher_owner[] = {
#embed "../../sql/usher/owner.sql"
};
static const unsigned char usher_record[] = {
#embed "../../sql/usher/record.sql"
};
static const unsigned char usher_record_changes[] = {
#embed "../../sql/usher/record_changes.sql"
};
static const unsigned char usher_roles[] = {
#embed "../../sql/usher/roles.sql"
};
static const unsigned char usher_root[] = {
#embed "../../sql/usher/root.sql"
};
static const unsigned char usher_schema[] = {
#embed "../../sql/usher/schema.sql"
};
static const unsigned char usher_seal[] = {
#embed "../../sql/usher/seal.sql"
};
static const unsigned char usher_tally[] = {
#embed "../../sql/usher/tally.sql"
};
static const unsigned char usher_verify[] = {
#embed "../../sql/usher/verify.sql"
};
static const unsigned char usher_version[] = {
#embed "../../sql/usher/version.sql"
};

#define ENTRY(path, bytes) {path, bytes, sizeof bytes}

static const struct embedded_sql files[] = {
    ENTRY("apps/importer.sql", apps_importer),
    ENTRY("apps/impulse.sql", apps_impulse),
    ENTRY("apps/langchat.sql", apps_langchat),
    ENTRY("apps/strikelab.sql", apps_strikelab),
    ENTRY("apps/xtablo.sql", apps_xtablo),
    ENTRY("catalog/allowed_values.sql", catalog_allowed_values),
    ENTRY("catalog/archive_seal.sql", catalog_archive_seal),
    ENTRY("catalog/audit_changes.sql", catalog_audit_changes),
    ENTRY("catalog/audit_columns.sql", catalog_audit_columns),
    ENTRY("catalog/audit_erasures.sql", catalog_audit_erasures),
    ENTRY("catalog/audit_list.sql", catalog_audit_list),
    ENTRY("catalog/audit_show.sql", catalog_audit_show),
    ENTRY("catalog/audit_timeline.sql", catalog_audit_timeline),
    ENTRY("catalog/base_columns.sql", catalog_base_columns),
    ENTRY("catalog/bulk_batches.sql", catalog_bulk_batches),
    ENTRY("catalog/bulk_progress.sql", catalog_bulk_progress),
    ENTRY("catalog/bulk_unfinished.sql", catalog_bulk_unfinished),
    ENTRY("catalog/change_counters.sql", catalog_change_counters),
    ENTRY("catalog/columns.sql", catalog_columns),
    ENTRY("catalog/copy_columns.sql", catalog_copy_columns),
    ENTRY("catalog/environment.sql", catalog_environment),
    ENTRY("catalog/erasure_keepers.sql", catalog_erasure_keepers),
    ENTRY("catalog/erasure_unfinished.sql", catalog_erasure_unfinished),
    ENTRY("catalog/erasure_written.sql", catalog_erasure_written),
    ENTRY("catalog/fence.sql", catalog_fence),
    ENTRY("catalog/foreign_keys.sql", catalog_foreign_keys),
    ENTRY("catalog/grantable_tables.sql", catalog_grantable_tables),
    ENTRY("catalog/granted_privileges.sql", catalog_granted_privileges),
    ENTRY("catalog/graph_columns.sql", catalog_graph_columns),
    ENTRY("catalog/graph_references.sql", catalog_graph_references),
    ENTRY("catalog/graph_tables.sql", catalog_graph_tables),
    ENTRY("catalog/helper_indexes.sql", catalog_helper_indexes),
    ENTRY("catalog/index_leads.sql", catalog_index_leads),
    ENTRY("catalog/install.sql", catalog_install),
    ENTRY("catalog/install_remains.sql", catalog_install_remains),
    ENTRY("catalog/ledger.sql", catalog_ledger),
    ENTRY("catalog/loose_references.sql", catalog_loose_references),
    ENTRY("catalog/open_writers.sql", catalog_open_writers),
    ENTRY("catalog/pending_files.sql", catalog_pending_files),
    ENTRY("catalog/remade_tables.sql", catalog_remade_tables),
    ENTRY("catalog/required_privileges.sql", catalog_required_privileges),
    ENTRY("catalog/residue_columns.sql", catalog_residue_columns),
    ENTRY("catalog/root_columns.sql", catalog_root_columns),
    ENTRY("catalog/seal.sql", catalog_seal),
    ENTRY("catalog/session.sql", catalog_session),
    ENTRY("catalog/single_keys.sql", catalog_single_keys),
    ENTRY("catalog/suspects.sql", catalog_suspects),
    ENTRY("catalog/table_columns.sql", catalog_table_columns),
    ENTRY("catalog/table_indexes.sql", catalog_table_indexes),
    ENTRY("catalog/table_policies.sql", catalog_table_policies),
    ENTRY("catalog/table_shapes.sql", catalog_table_shapes),
    ENTRY("catalog/tables.sql", catalog_tables),
    ENTRY("catalog/trigger_effects.sql", catalog_trigger_effects),
    ENTRY("catalog/trigrams.sql", catalog_trigrams),
    ENTRY("catalog/typed_answers.sql", catalog_typed_answers),
    ENTRY("catalog/typed_clock.sql", catalog_typed_clock),
    ENTRY("catalog/typed_date.sql", catalog_typed_date),
    ENTRY("catalog/typed_reading.sql", catalog_typed_reading),
    ENTRY("catalog/typed_time.sql", catalog_typed_time),
    ENTRY("catalog/typed_types.sql", catalog_typed_types),
    ENTRY("catalog/typed_values.sql", catalog_typed_values),
    ENTRY("catalog/types.sql", catalog_types),
    ENTRY("catalog/undo_groups.sql", catalog_undo_groups),
    ENTRY("catalog/undo_operation.sql", catalog_undo_operation),
    ENTRY("catalog/unindexed_references.sql", catalog_unindexed_references),
    ENTRY("catalog/unique_keys.sql", catalog_unique_keys),
    ENTRY("catalog/writable.sql", catalog_writable),
    ENTRY("catalog/written_relations.sql", catalog_written_relations),
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
    ENTRY("usher/forget.sql", usher_forget),
    ENTRY("usher/grants.sql", usher_grants),
    ENTRY("usher/head.sql", usher_head),
    ENTRY("usher/leaf.sql", usher_leaf),
    ENTRY("usher/mark_environment.sql", usher_mark_environment),
    ENTRY("usher/outcome.sql", usher_outcome),
    ENTRY("usher/owner.sql", usher_owner),
    ENTRY("usher/record.sql", usher_record),
    ENTRY("usher/record_changes.sql", usher_record_changes),
    ENTRY("usher/roles.sql", usher_roles),
    ENTRY("usher/root.sql", usher_root),
    ENTRY("usher/schema.sql", usher_schema),
    ENTRY("usher/seal.sql", usher_seal),
    ENTRY("usher/tally.sql", usher_tally),
    ENTRY("usher/verify.sql", usher_verify),
    ENTRY("usher/version.sql", usher_version),
};

const struct embedded_sql *embedded_sql_at(size_t index) {
    return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
