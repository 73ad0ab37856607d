// Printed by .ci/embedded-sql. The compiler reads the files itself and knows that this object depends on them.
#include "CEmbeddedSQL.h"

#include <string.h>

static const unsigned char apps_importer[] = {
#embed "../../sql/apps/importer.sql"
};
static const unsigned char apps_importer_screens[] = {
#embed "../../sql/apps/importer/screens.sql"
};
static const unsigned char apps_impulse[] = {
#embed "../../sql/apps/impulse.sql"
};
static const unsigned char apps_impulse_screens[] = {
#embed "../../sql/apps/impulse/screens.sql"
};
static const unsigned char apps_impulse_webhooks[] = {
#embed "../../sql/apps/impulse/webhooks.sql"
};
static const unsigned char apps_langchat[] = {
#embed "../../sql/apps/langchat.sql"
};
static const unsigned char apps_langchat_screens[] = {
#embed "../../sql/apps/langchat/screens.sql"
};
static const unsigned char apps_strikelab[] = {
#embed "../../sql/apps/strikelab.sql"
};
static const unsigned char apps_strikelab_screens[] = {
#embed "../../sql/apps/strikelab/screens.sql"
};
static const unsigned char apps_xtablo[] = {
#embed "../../sql/apps/xtablo.sql"
};
static const unsigned char apps_xtablo_apple[] = {
#embed "../../sql/apps/xtablo/apple.sql"
};
static const unsigned char apps_xtablo_screens[] = {
#embed "../../sql/apps/xtablo/screens.sql"
};
static const unsigned char catalog_account_columns[] = {
#embed "../../sql/catalog/account_columns.sql"
};
static const unsigned char catalog_act[] = {
#embed "../../sql/catalog/act.sql"
};
static const unsigned char catalog_allowed_values[] = {
#embed "../../sql/catalog/allowed_values.sql"
};
static const unsigned char catalog_archive_record[] = {
#embed "../../sql/catalog/archive_record.sql"
};
static const unsigned char catalog_audit_blockers[] = {
#embed "../../sql/catalog/audit_blockers.sql"
};
static const unsigned char catalog_audit_chain[] = {
#embed "../../sql/catalog/audit_chain.sql"
};
static const unsigned char catalog_audit_changes[] = {
#embed "../../sql/catalog/audit_changes.sql"
};
static const unsigned char catalog_audit_columns[] = {
#embed "../../sql/catalog/audit_columns.sql"
};
static const unsigned char catalog_audit_digests[] = {
#embed "../../sql/catalog/audit_digests.sql"
};
static const unsigned char catalog_audit_erasures[] = {
#embed "../../sql/catalog/audit_erasures.sql"
};
static const unsigned char catalog_audit_inbox[] = {
#embed "../../sql/catalog/audit_inbox.sql"
};
static const unsigned char catalog_audit_later[] = {
#embed "../../sql/catalog/audit_later.sql"
};
static const unsigned char catalog_audit_list[] = {
#embed "../../sql/catalog/audit_list.sql"
};
static const unsigned char catalog_audit_listed[] = {
#embed "../../sql/catalog/audit_listed.sql"
};
static const unsigned char catalog_audit_objects[] = {
#embed "../../sql/catalog/audit_objects.sql"
};
static const unsigned char catalog_audit_payloads[] = {
#embed "../../sql/catalog/audit_payloads.sql"
};
static const unsigned char catalog_audit_records[] = {
#embed "../../sql/catalog/audit_records.sql"
};
static const unsigned char catalog_audit_returned[] = {
#embed "../../sql/catalog/audit_returned.sql"
};
static const unsigned char catalog_audit_rights[] = {
#embed "../../sql/catalog/audit_rights.sql"
};
static const unsigned char catalog_audit_show[] = {
#embed "../../sql/catalog/audit_show.sql"
};
static const unsigned char catalog_audit_subjects[] = {
#embed "../../sql/catalog/audit_subjects.sql"
};
static const unsigned char catalog_audit_tables[] = {
#embed "../../sql/catalog/audit_tables.sql"
};
static const unsigned char catalog_audit_tally[] = {
#embed "../../sql/catalog/audit_tally.sql"
};
static const unsigned char catalog_audit_timeline[] = {
#embed "../../sql/catalog/audit_timeline.sql"
};
static const unsigned char catalog_bulk_batches[] = {
#embed "../../sql/catalog/bulk_batches.sql"
};
static const unsigned char catalog_change_counters[] = {
#embed "../../sql/catalog/change_counters.sql"
};
static const unsigned char catalog_change_counters_everywhere[] = {
#embed "../../sql/catalog/change_counters_everywhere.sql"
};
static const unsigned char catalog_columns[] = {
#embed "../../sql/catalog/columns.sql"
};
static const unsigned char catalog_deletion_accounts[] = {
#embed "../../sql/catalog/deletion_accounts.sql"
};
static const unsigned char catalog_deletion_unfinished[] = {
#embed "../../sql/catalog/deletion_unfinished.sql"
};
static const unsigned char catalog_distributed[] = {
#embed "../../sql/catalog/distributed.sql"
};
static const unsigned char catalog_engines[] = {
#embed "../../sql/catalog/engines.sql"
};
static const unsigned char catalog_environment[] = {
#embed "../../sql/catalog/environment.sql"
};
static const unsigned char catalog_fence[] = {
#embed "../../sql/catalog/fence.sql"
};
static const unsigned char catalog_grantable_tables[] = {
#embed "../../sql/catalog/grantable_tables.sql"
};
static const unsigned char catalog_granted_privileges[] = {
#embed "../../sql/catalog/granted_privileges.sql"
};
static const unsigned char catalog_graph_references[] = {
#embed "../../sql/catalog/graph_references.sql"
};
static const unsigned char catalog_graph_tables[] = {
#embed "../../sql/catalog/graph_tables.sql"
};
static const unsigned char catalog_held_secrets[] = {
#embed "../../sql/catalog/held_secrets.sql"
};
static const unsigned char catalog_held_writes[] = {
#embed "../../sql/catalog/held_writes.sql"
};
static const unsigned char catalog_impossible_lines[] = {
#embed "../../sql/catalog/impossible_lines.sql"
};
static const unsigned char catalog_install[] = {
#embed "../../sql/catalog/install.sql"
};
static const unsigned char catalog_install_remains[] = {
#embed "../../sql/catalog/install_remains.sql"
};
static const unsigned char catalog_known_as[] = {
#embed "../../sql/catalog/known_as.sql"
};
static const unsigned char catalog_ledger[] = {
#embed "../../sql/catalog/ledger.sql"
};
static const unsigned char catalog_lexicon[] = {
#embed "../../sql/catalog/lexicon.sql"
};
static const unsigned char catalog_other_servers[] = {
#embed "../../sql/catalog/other_servers.sql"
};
static const unsigned char catalog_read_settings[] = {
#embed "../../sql/catalog/read_settings.sql"
};
static const unsigned char catalog_reassigned_columns[] = {
#embed "../../sql/catalog/reassigned_columns.sql"
};
static const unsigned char catalog_request_terms[] = {
#embed "../../sql/catalog/request_terms.sql"
};
static const unsigned char catalog_requests[] = {
#embed "../../sql/catalog/requests.sql"
};
static const unsigned char catalog_required_privileges[] = {
#embed "../../sql/catalog/required_privileges.sql"
};
static const unsigned char catalog_root_columns[] = {
#embed "../../sql/catalog/root_columns.sql"
};
static const unsigned char catalog_seal[] = {
#embed "../../sql/catalog/seal.sql"
};
static const unsigned char catalog_secret_names[] = {
#embed "../../sql/catalog/secret_names.sql"
};
static const unsigned char catalog_seen_values[] = {
#embed "../../sql/catalog/seen_values.sql"
};
static const unsigned char catalog_session[] = {
#embed "../../sql/catalog/session.sql"
};
static const unsigned char catalog_table_indexes[] = {
#embed "../../sql/catalog/table_indexes.sql"
};
static const unsigned char catalog_tables[] = {
#embed "../../sql/catalog/tables.sql"
};
static const unsigned char catalog_tenants[] = {
#embed "../../sql/catalog/tenants.sql"
};
static const unsigned char catalog_trigger_effects[] = {
#embed "../../sql/catalog/trigger_effects.sql"
};
static const unsigned char catalog_trigrams[] = {
#embed "../../sql/catalog/trigrams.sql"
};
static const unsigned char catalog_typed_types[] = {
#embed "../../sql/catalog/typed_types.sql"
};
static const unsigned char catalog_types[] = {
#embed "../../sql/catalog/types.sql"
};
static const unsigned char catalog_undo_operation[] = {
#embed "../../sql/catalog/undo_operation.sql"
};
static const unsigned char catalog_unindexed_references[] = {
#embed "../../sql/catalog/unindexed_references.sql"
};
static const unsigned char catalog_uninstall[] = {
#embed "../../sql/catalog/uninstall.sql"
};
static const unsigned char catalog_uninstall_rights[] = {
#embed "../../sql/catalog/uninstall_rights.sql"
};
static const unsigned char catalog_uninstall_role[] = {
#embed "../../sql/catalog/uninstall_role.sql"
};
static const unsigned char catalog_user_desk[] = {
#embed "../../sql/catalog/user_desk.sql"
};
static const unsigned char catalog_waiting[] = {
#embed "../../sql/catalog/waiting.sql"
};
static const unsigned char catalog_writable[] = {
#embed "../../sql/catalog/writable.sql"
};
static const unsigned char completions__usher[] = {
#embed "../../completions/_usher"
};
static const unsigned char completions_usher_bash[] = {
#embed "../../completions/usher.bash"
};
static const unsigned char completions_usher_fish[] = {
#embed "../../completions/usher.fish"
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
static const unsigned char platform_authjs[] = {
#embed "../../sql/platform/authjs.sql"
};
static const unsigned char platform_better_auth[] = {
#embed "../../sql/platform/better-auth.sql"
};
static const unsigned char platform_revenuecat[] = {
#embed "../../sql/platform/revenuecat.sql"
};
static const unsigned char platform_stripe[] = {
#embed "../../sql/platform/stripe.sql"
};
static const unsigned char platform_supabase[] = {
#embed "../../sql/platform/supabase.sql"
};
static const unsigned char usher_citus[] = {
#embed "../../sql/usher/citus.sql"
};
static const unsigned char usher_definers[] = {
#embed "../../sql/usher/definers.sql"
};
static const unsigned char usher_functions_actions[] = {
#embed "../../sql/usher/functions/actions.sql"
};
static const unsigned char usher_functions_bulk[] = {
#embed "../../sql/usher/functions/bulk.sql"
};
static const unsigned char usher_functions_bulk_statements[] = {
#embed "../../sql/usher/functions/bulk_statements.sql"
};
static const unsigned char usher_functions_changes[] = {
#embed "../../sql/usher/functions/changes.sql"
};
static const unsigned char usher_functions_citus_absent[] = {
#embed "../../sql/usher/functions/citus_absent.sql"
};
static const unsigned char usher_functions_counting[] = {
#embed "../../sql/usher/functions/counting.sql"
};
static const unsigned char usher_functions_decisions[] = {
#embed "../../sql/usher/functions/decisions.sql"
};
static const unsigned char usher_functions_deletion[] = {
#embed "../../sql/usher/functions/deletion.sql"
};
static const unsigned char usher_functions_environment[] = {
#embed "../../sql/usher/functions/environment.sql"
};
static const unsigned char usher_functions_forgetting[] = {
#embed "../../sql/usher/functions/forgetting.sql"
};
static const unsigned char usher_functions_records[] = {
#embed "../../sql/usher/functions/records.sql"
};
static const unsigned char usher_functions_requests[] = {
#embed "../../sql/usher/functions/requests.sql"
};
static const unsigned char usher_functions_rights[] = {
#embed "../../sql/usher/functions/rights.sql"
};
static const unsigned char usher_functions_rows[] = {
#embed "../../sql/usher/functions/rows.sql"
};
static const unsigned char usher_functions_seal[] = {
#embed "../../sql/usher/functions/seal.sql"
};
static const unsigned char usher_functions_search_path[] = {
#embed "../../sql/usher/functions/search_path.sql"
};
static const unsigned char usher_functions_snapshots[] = {
#embed "../../sql/usher/functions/snapshots.sql"
};
static const unsigned char usher_functions_statements[] = {
#embed "../../sql/usher/functions/statements.sql"
};
static const unsigned char usher_functions_undo[] = {
#embed "../../sql/usher/functions/undo.sql"
};
static const unsigned char usher_functions_users[] = {
#embed "../../sql/usher/functions/users.sql"
};
static const unsigned char usher_functions_version[] = {
#embed "../../sql/usher/functions/version.sql"
};
static const unsigned char usher_grants[] = {
#embed "../../sql/usher/grants.sql"
};
static const unsigned char usher_install_acts[] = {
#embed "../../sql/usher/install_acts.sql"
};
static const unsigned char usher_mark_environment[] = {
#embed "../../sql/usher/mark_environment.sql"
};
static const unsigned char usher_owner[] = {
#embed "../../sql/usher/owner.sql"
};
static const unsigned char usher_revoke_writes[] = {
#embed "../../sql/usher/revoke_writes.sql"
};
static const unsigned char usher_roles[] = {
#embed "../../sql/usher/roles.sql"
};
static const unsigned char usher_schema[] = {
#embed "../../sql/usher/schema.sql"
};

#define ENTRY(path, bytes) { path, bytes, sizeof bytes }

static const struct embedded_sql files[] = {
    ENTRY("apps/importer.sql", apps_importer),
    ENTRY("apps/importer/screens.sql", apps_importer_screens),
    ENTRY("apps/impulse.sql", apps_impulse),
    ENTRY("apps/impulse/screens.sql", apps_impulse_screens),
    ENTRY("apps/impulse/webhooks.sql", apps_impulse_webhooks),
    ENTRY("apps/langchat.sql", apps_langchat),
    ENTRY("apps/langchat/screens.sql", apps_langchat_screens),
    ENTRY("apps/strikelab.sql", apps_strikelab),
    ENTRY("apps/strikelab/screens.sql", apps_strikelab_screens),
    ENTRY("apps/xtablo.sql", apps_xtablo),
    ENTRY("apps/xtablo/apple.sql", apps_xtablo_apple),
    ENTRY("apps/xtablo/screens.sql", apps_xtablo_screens),
    ENTRY("catalog/account_columns.sql", catalog_account_columns),
    ENTRY("catalog/act.sql", catalog_act),
    ENTRY("catalog/allowed_values.sql", catalog_allowed_values),
    ENTRY("catalog/archive_record.sql", catalog_archive_record),
    ENTRY("catalog/audit_blockers.sql", catalog_audit_blockers),
    ENTRY("catalog/audit_chain.sql", catalog_audit_chain),
    ENTRY("catalog/audit_changes.sql", catalog_audit_changes),
    ENTRY("catalog/audit_columns.sql", catalog_audit_columns),
    ENTRY("catalog/audit_digests.sql", catalog_audit_digests),
    ENTRY("catalog/audit_erasures.sql", catalog_audit_erasures),
    ENTRY("catalog/audit_inbox.sql", catalog_audit_inbox),
    ENTRY("catalog/audit_later.sql", catalog_audit_later),
    ENTRY("catalog/audit_list.sql", catalog_audit_list),
    ENTRY("catalog/audit_listed.sql", catalog_audit_listed),
    ENTRY("catalog/audit_objects.sql", catalog_audit_objects),
    ENTRY("catalog/audit_payloads.sql", catalog_audit_payloads),
    ENTRY("catalog/audit_records.sql", catalog_audit_records),
    ENTRY("catalog/audit_returned.sql", catalog_audit_returned),
    ENTRY("catalog/audit_rights.sql", catalog_audit_rights),
    ENTRY("catalog/audit_show.sql", catalog_audit_show),
    ENTRY("catalog/audit_subjects.sql", catalog_audit_subjects),
    ENTRY("catalog/audit_tables.sql", catalog_audit_tables),
    ENTRY("catalog/audit_tally.sql", catalog_audit_tally),
    ENTRY("catalog/audit_timeline.sql", catalog_audit_timeline),
    ENTRY("catalog/bulk_batches.sql", catalog_bulk_batches),
    ENTRY("catalog/change_counters.sql", catalog_change_counters),
    ENTRY("catalog/change_counters_everywhere.sql", catalog_change_counters_everywhere),
    ENTRY("catalog/columns.sql", catalog_columns),
    ENTRY("catalog/deletion_accounts.sql", catalog_deletion_accounts),
    ENTRY("catalog/deletion_unfinished.sql", catalog_deletion_unfinished),
    ENTRY("catalog/distributed.sql", catalog_distributed),
    ENTRY("catalog/engines.sql", catalog_engines),
    ENTRY("catalog/environment.sql", catalog_environment),
    ENTRY("catalog/fence.sql", catalog_fence),
    ENTRY("catalog/grantable_tables.sql", catalog_grantable_tables),
    ENTRY("catalog/granted_privileges.sql", catalog_granted_privileges),
    ENTRY("catalog/graph_references.sql", catalog_graph_references),
    ENTRY("catalog/graph_tables.sql", catalog_graph_tables),
    ENTRY("catalog/held_secrets.sql", catalog_held_secrets),
    ENTRY("catalog/held_writes.sql", catalog_held_writes),
    ENTRY("catalog/impossible_lines.sql", catalog_impossible_lines),
    ENTRY("catalog/install.sql", catalog_install),
    ENTRY("catalog/install_remains.sql", catalog_install_remains),
    ENTRY("catalog/known_as.sql", catalog_known_as),
    ENTRY("catalog/ledger.sql", catalog_ledger),
    ENTRY("catalog/lexicon.sql", catalog_lexicon),
    ENTRY("catalog/other_servers.sql", catalog_other_servers),
    ENTRY("catalog/read_settings.sql", catalog_read_settings),
    ENTRY("catalog/reassigned_columns.sql", catalog_reassigned_columns),
    ENTRY("catalog/request_terms.sql", catalog_request_terms),
    ENTRY("catalog/requests.sql", catalog_requests),
    ENTRY("catalog/required_privileges.sql", catalog_required_privileges),
    ENTRY("catalog/root_columns.sql", catalog_root_columns),
    ENTRY("catalog/seal.sql", catalog_seal),
    ENTRY("catalog/secret_names.sql", catalog_secret_names),
    ENTRY("catalog/seen_values.sql", catalog_seen_values),
    ENTRY("catalog/session.sql", catalog_session),
    ENTRY("catalog/table_indexes.sql", catalog_table_indexes),
    ENTRY("catalog/tables.sql", catalog_tables),
    ENTRY("catalog/tenants.sql", catalog_tenants),
    ENTRY("catalog/trigger_effects.sql", catalog_trigger_effects),
    ENTRY("catalog/trigrams.sql", catalog_trigrams),
    ENTRY("catalog/typed_types.sql", catalog_typed_types),
    ENTRY("catalog/types.sql", catalog_types),
    ENTRY("catalog/undo_operation.sql", catalog_undo_operation),
    ENTRY("catalog/unindexed_references.sql", catalog_unindexed_references),
    ENTRY("catalog/uninstall.sql", catalog_uninstall),
    ENTRY("catalog/uninstall_rights.sql", catalog_uninstall_rights),
    ENTRY("catalog/uninstall_role.sql", catalog_uninstall_role),
    ENTRY("catalog/user_desk.sql", catalog_user_desk),
    ENTRY("catalog/waiting.sql", catalog_waiting),
    ENTRY("catalog/writable.sql", catalog_writable),
    ENTRY("completions/_usher", completions__usher),
    ENTRY("completions/usher.bash", completions_usher_bash),
    ENTRY("completions/usher.fish", completions_usher_fish),
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
    ENTRY("platform/authjs.sql", platform_authjs),
    ENTRY("platform/better-auth.sql", platform_better_auth),
    ENTRY("platform/revenuecat.sql", platform_revenuecat),
    ENTRY("platform/stripe.sql", platform_stripe),
    ENTRY("platform/supabase.sql", platform_supabase),
    ENTRY("usher/citus.sql", usher_citus),
    ENTRY("usher/definers.sql", usher_definers),
    ENTRY("usher/functions/actions.sql", usher_functions_actions),
    ENTRY("usher/functions/bulk.sql", usher_functions_bulk),
    ENTRY("usher/functions/bulk_statements.sql", usher_functions_bulk_statements),
    ENTRY("usher/functions/changes.sql", usher_functions_changes),
    ENTRY("usher/functions/citus_absent.sql", usher_functions_citus_absent),
    ENTRY("usher/functions/counting.sql", usher_functions_counting),
    ENTRY("usher/functions/decisions.sql", usher_functions_decisions),
    ENTRY("usher/functions/deletion.sql", usher_functions_deletion),
    ENTRY("usher/functions/environment.sql", usher_functions_environment),
    ENTRY("usher/functions/forgetting.sql", usher_functions_forgetting),
    ENTRY("usher/functions/records.sql", usher_functions_records),
    ENTRY("usher/functions/requests.sql", usher_functions_requests),
    ENTRY("usher/functions/rights.sql", usher_functions_rights),
    ENTRY("usher/functions/rows.sql", usher_functions_rows),
    ENTRY("usher/functions/seal.sql", usher_functions_seal),
    ENTRY("usher/functions/search_path.sql", usher_functions_search_path),
    ENTRY("usher/functions/snapshots.sql", usher_functions_snapshots),
    ENTRY("usher/functions/statements.sql", usher_functions_statements),
    ENTRY("usher/functions/undo.sql", usher_functions_undo),
    ENTRY("usher/functions/users.sql", usher_functions_users),
    ENTRY("usher/functions/version.sql", usher_functions_version),
    ENTRY("usher/grants.sql", usher_grants),
    ENTRY("usher/install_acts.sql", usher_install_acts),
    ENTRY("usher/mark_environment.sql", usher_mark_environment),
    ENTRY("usher/owner.sql", usher_owner),
    ENTRY("usher/revoke_writes.sql", usher_revoke_writes),
    ENTRY("usher/roles.sql", usher_roles),
    ENTRY("usher/schema.sql", usher_schema),
};

const struct embedded_sql *embedded_sql_at(size_t index) {
    return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}

const struct embedded_sql *embedded_sql_named(const char *path) {
    for (size_t index = 0; index < sizeof files / sizeof files[0]; index++)
        if (strcmp(files[index].path, path) == 0)
            return &files[index];
    return NULL;
}
