#include "CEmbeddedSQL.h"

#include <string.h>

// The compiler reads the files itself and knows that this object depends on them. A test holds the list complete.

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
static const unsigned char catalog_audit_erasures[] = {
#embed "../../sql/catalog/audit_erasures.sql"
};
static const unsigned char catalog_audit_functions[] = {
#embed "../../sql/catalog/audit_functions.sql"
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
static const unsigned char catalog_audit_payloads[] = {
#embed "../../sql/catalog/audit_payloads.sql"
};
static const unsigned char catalog_audit_rights[] = {
#embed "../../sql/catalog/audit_rights.sql"
};
static const unsigned char catalog_audit_records[] = {
#embed "../../sql/catalog/audit_records.sql"
};
static const unsigned char catalog_audit_returned[] = {
#embed "../../sql/catalog/audit_returned.sql"
};
static const unsigned char catalog_audit_show[] = {
#embed "../../sql/catalog/audit_show.sql"
};
static const unsigned char catalog_audit_since[] = {
#embed "../../sql/catalog/audit_since.sql"
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
static const unsigned char catalog_audit_triggers[] = {
#embed "../../sql/catalog/audit_triggers.sql"
};
static const unsigned char catalog_base_columns[] = {
#embed "../../sql/catalog/base_columns.sql"
};
static const unsigned char catalog_bulk_batches[] = {
#embed "../../sql/catalog/bulk_batches.sql"
};
static const unsigned char catalog_called_functions[] = {
#embed "../../sql/catalog/called_functions.sql"
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
static const unsigned char catalog_coordinator[] = {
#embed "../../sql/catalog/coordinator.sql"
};
static const unsigned char catalog_copy_columns[] = {
#embed "../../sql/catalog/copy_columns.sql"
};
static const unsigned char catalog_demanding_columns[] = {
#embed "../../sql/catalog/demanding_columns.sql"
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
static const unsigned char catalog_erasure_accounts[] = {
#embed "../../sql/catalog/erasure_accounts.sql"
};
static const unsigned char catalog_erasure_answers[] = {
#embed "../../sql/catalog/erasure_answers.sql"
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
static const unsigned char catalog_evidence[] = {
#embed "../../sql/catalog/evidence.sql"
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
static const unsigned char catalog_foreign_servers[] = {
#embed "../../sql/catalog/foreign_servers.sql"
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
static const unsigned char catalog_held_secrets[] = {
#embed "../../sql/catalog/held_secrets.sql"
};
static const unsigned char catalog_held_writes[] = {
#embed "../../sql/catalog/held_writes.sql"
};
static const unsigned char catalog_helper_indexes[] = {
#embed "../../sql/catalog/helper_indexes.sql"
};
static const unsigned char catalog_identity[] = {
#embed "../../sql/catalog/identity.sql"
};
static const unsigned char catalog_impossible_lines[] = {
#embed "../../sql/catalog/impossible_lines.sql"
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
static const unsigned char catalog_known_as[] = {
#embed "../../sql/catalog/known_as.sql"
};
static const unsigned char catalog_known_names[] = {
#embed "../../sql/catalog/known_names.sql"
};
static const unsigned char catalog_led_columns[] = {
#embed "../../sql/catalog/led_columns.sql"
};
static const unsigned char catalog_ledger[] = {
#embed "../../sql/catalog/ledger.sql"
};
static const unsigned char catalog_lexicon[] = {
#embed "../../sql/catalog/lexicon.sql"
};
static const unsigned char catalog_limit_columns[] = {
#embed "../../sql/catalog/limit_columns.sql"
};
static const unsigned char catalog_marked_columns[] = {
#embed "../../sql/catalog/marked_columns.sql"
};
static const unsigned char catalog_marked_tables[] = {
#embed "../../sql/catalog/marked_tables.sql"
};
static const unsigned char catalog_missing_rights[] = {
#embed "../../sql/catalog/missing_rights.sql"
};
static const unsigned char catalog_open_writers[] = {
#embed "../../sql/catalog/open_writers.sql"
};
static const unsigned char catalog_other_servers[] = {
#embed "../../sql/catalog/other_servers.sql"
};
static const unsigned char catalog_pending_files[] = {
#embed "../../sql/catalog/pending_files.sql"
};
static const unsigned char catalog_plan_outputs[] = {
#embed "../../sql/catalog/plan_outputs.sql"
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
static const unsigned char catalog_residue_columns[] = {
#embed "../../sql/catalog/residue_columns.sql"
};
static const unsigned char catalog_root_columns[] = {
#embed "../../sql/catalog/root_columns.sql"
};
static const unsigned char catalog_root_tables[] = {
#embed "../../sql/catalog/root_tables.sql"
};
static const unsigned char catalog_samples[] = {
#embed "../../sql/catalog/samples.sql"
};
static const unsigned char catalog_seal[] = {
#embed "../../sql/catalog/seal.sql"
};
static const unsigned char catalog_secret_names[] = {
#embed "../../sql/catalog/secret_names.sql"
};
static const unsigned char catalog_secret_values[] = {
#embed "../../sql/catalog/secret_values.sql"
};
static const unsigned char catalog_seen_values[] = {
#embed "../../sql/catalog/seen_values.sql"
};
static const unsigned char catalog_session[] = {
#embed "../../sql/catalog/session.sql"
};
static const unsigned char catalog_session_readers[] = {
#embed "../../sql/catalog/session_readers.sql"
};
static const unsigned char catalog_table_indexes[] = {
#embed "../../sql/catalog/table_indexes.sql"
};
static const unsigned char catalog_table_policies[] = {
#embed "../../sql/catalog/table_policies.sql"
};
static const unsigned char catalog_tables[] = {
#embed "../../sql/catalog/tables.sql"
};
static const unsigned char catalog_tenants[] = {
#embed "../../sql/catalog/tenants.sql"
};
static const unsigned char catalog_text_columns[] = {
#embed "../../sql/catalog/text_columns.sql"
};
static const unsigned char catalog_tried_marks[] = {
#embed "../../sql/catalog/tried_marks.sql"
};
static const unsigned char catalog_tried_statements[] = {
#embed "../../sql/catalog/tried_statements.sql"
};
static const unsigned char catalog_trigger_effects[] = {
#embed "../../sql/catalog/trigger_effects.sql"
};
static const unsigned char catalog_trigrams[] = {
#embed "../../sql/catalog/trigrams.sql"
};
static const unsigned char catalog_type_kinds[] = {
#embed "../../sql/catalog/type_kinds.sql"
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
static const unsigned char catalog_undo_operation[] = {
#embed "../../sql/catalog/undo_operation.sql"
};
static const unsigned char catalog_unindexed_references[] = {
#embed "../../sql/catalog/unindexed_references.sql"
};
static const unsigned char catalog_unique_keys[] = {
#embed "../../sql/catalog/unique_keys.sql"
};
static const unsigned char catalog_unshared_columns[] = {
#embed "../../sql/catalog/unshared_columns.sql"
};
static const unsigned char catalog_user_desk[] = {
#embed "../../sql/catalog/user_desk.sql"
};
static const unsigned char catalog_user_columns[] = {
#embed "../../sql/catalog/user_columns.sql"
};
static const unsigned char catalog_waiting[] = {
#embed "../../sql/catalog/waiting.sql"
};
static const unsigned char catalog_writable[] = {
#embed "../../sql/catalog/writable.sql"
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
static const unsigned char usher_about[] = {
#embed "../../sql/usher/about.sql"
};
static const unsigned char usher_account_for[] = {
#embed "../../sql/usher/account_for.sql"
};
static const unsigned char usher_account_root[] = {
#embed "../../sql/usher/account_root.sql"
};
static const unsigned char usher_act_now[] = {
#embed "../../sql/usher/act_now.sql"
};
static const unsigned char usher_acts[] = {
#embed "../../sql/usher/acts.sql"
};
static const unsigned char usher_act_of[] = {
#embed "../../sql/usher/act_of.sql"
};
static const unsigned char usher_addresses[] = {
#embed "../../sql/usher/addresses.sql"
};
static const unsigned char usher_answer[] = {
#embed "../../sql/usher/answer.sql"
};
static const unsigned char usher_answered[] = {
#embed "../../sql/usher/answered.sql"
};
static const unsigned char usher_app_of[] = {
#embed "../../sql/usher/app_of.sql"
};
static const unsigned char usher_arguments[] = {
#embed "../../sql/usher/arguments.sql"
};
static const unsigned char usher_ask[] = {
#embed "../../sql/usher/ask.sql"
};
static const unsigned char usher_ask_deletion[] = {
#embed "../../sql/usher/ask_deletion.sql"
};
static const unsigned char usher_asked_for[] = {
#embed "../../sql/usher/asked_for.sql"
};
static const unsigned char usher_attempt[] = {
#embed "../../sql/usher/attempt.sql"
};
static const unsigned char usher_batch[] = {
#embed "../../sql/usher/batch.sql"
};
static const unsigned char usher_begin[] = {
#embed "../../sql/usher/begin.sql"
};
static const unsigned char usher_changed_since[] = {
#embed "../../sql/usher/changed_since.sql"
};
static const unsigned char usher_changes[] = {
#embed "../../sql/usher/changes.sql"
};
static const unsigned char usher_claimed[] = {
#embed "../../sql/usher/claimed.sql"
};
static const unsigned char usher_concerned[] = {
#embed "../../sql/usher/concerned.sql"
};
static const unsigned char usher_counted_as[] = {
#embed "../../sql/usher/counted_as.sql"
};
static const unsigned char usher_counted_at_once[] = {
#embed "../../sql/usher/counted_at_once.sql"
};
static const unsigned char usher_counted_by_all[] = {
#embed "../../sql/usher/counted_by_all.sql"
};
static const unsigned char usher_counters[] = {
#embed "../../sql/usher/counters.sql"
};
static const unsigned char usher_decided[] = {
#embed "../../sql/usher/decided.sql"
};
static const unsigned char usher_deferred[] = {
#embed "../../sql/usher/deferred.sql"
};
static const unsigned char usher_definers[] = {
#embed "../../sql/usher/definers.sql"
};
static const unsigned char usher_desk[] = {
#embed "../../sql/usher/desk.sql"
};
static const unsigned char usher_differences[] = {
#embed "../../sql/usher/differences.sql"
};
static const unsigned char usher_distinct_keys[] = {
#embed "../../sql/usher/distinct_keys.sql"
};
static const unsigned char usher_drop_functions[] = {
#embed "../../sql/usher/drop_functions.sql"
};
static const unsigned char usher_empty[] = {
#embed "../../sql/usher/empty.sql"
};
static const unsigned char usher_enter[] = {
#embed "../../sql/usher/enter.sql"
};
static const unsigned char usher_enter_undo[] = {
#embed "../../sql/usher/enter_undo.sql"
};
static const unsigned char usher_environment_for[] = {
#embed "../../sql/usher/environment_for.sql"
};
static const unsigned char usher_environment_name[] = {
#embed "../../sql/usher/environment_name.sql"
};
static const unsigned char usher_erase[] = {
#embed "../../sql/usher/erase.sql"
};
static const unsigned char usher_erased_changes[] = {
#embed "../../sql/usher/erased_changes.sql"
};
static const unsigned char usher_erasure[] = {
#embed "../../sql/usher/erasure.sql"
};
static const unsigned char usher_extensions[] = {
#embed "../../sql/usher/extensions.sql"
};
static const unsigned char usher_find_act[] = {
#embed "../../sql/usher/find_act.sql"
};
static const unsigned char usher_first_changes[] = {
#embed "../../sql/usher/first_changes.sql"
};
static const unsigned char usher_fingerprint[] = {
#embed "../../sql/usher/fingerprint.sql"
};
static const unsigned char usher_finish[] = {
#embed "../../sql/usher/finish.sql"
};
static const unsigned char usher_found[] = {
#embed "../../sql/usher/found.sql"
};
static const unsigned char usher_grants[] = {
#embed "../../sql/usher/grants.sql"
};
static const unsigned char usher_guard_erasure[] = {
#embed "../../sql/usher/guard_erasure.sql"
};
static const unsigned char usher_guarded[] = {
#embed "../../sql/usher/guarded.sql"
};
static const unsigned char usher_has_key[] = {
#embed "../../sql/usher/has_key.sql"
};
static const unsigned char usher_has_moved[] = {
#embed "../../sql/usher/has_moved.sql"
};
static const unsigned char usher_head[] = {
#embed "../../sql/usher/head.sql"
};
static const unsigned char usher_holds[] = {
#embed "../../sql/usher/holds.sql"
};
static const unsigned char usher_image[] = {
#embed "../../sql/usher/image.sql"
};
static const unsigned char usher_images[] = {
#embed "../../sql/usher/images.sql"
};
static const unsigned char usher_impacts[] = {
#embed "../../sql/usher/impacts.sql"
};
static const unsigned char usher_install_acts[] = {
#embed "../../sql/usher/install_acts.sql"
};
static const unsigned char usher_instant[] = {
#embed "../../sql/usher/instant.sql"
};
static const unsigned char usher_is_distributed[] = {
#embed "../../sql/usher/is_distributed.sql"
};
static const unsigned char usher_is_of_own[] = {
#embed "../../sql/usher/is_of_own.sql"
};
static const unsigned char usher_is_passing[] = {
#embed "../../sql/usher/is_passing.sql"
};
static const unsigned char usher_is_untold[] = {
#embed "../../sql/usher/is_untold.sql"
};
static const unsigned char usher_judged[] = {
#embed "../../sql/usher/judged.sql"
};
static const unsigned char usher_key_column[] = {
#embed "../../sql/usher/key_column.sql"
};
static const unsigned char usher_key_join[] = {
#embed "../../sql/usher/key_join.sql"
};
static const unsigned char usher_key_texts[] = {
#embed "../../sql/usher/key_texts.sql"
};
static const unsigned char usher_keys[] = {
#embed "../../sql/usher/keys.sql"
};
static const unsigned char usher_kind_of_undoing[] = {
#embed "../../sql/usher/kind_of_undoing.sql"
};
static const unsigned char usher_labelled[] = {
#embed "../../sql/usher/labelled.sql"
};
static const unsigned char usher_leaf[] = {
#embed "../../sql/usher/leaf.sql"
};
static const unsigned char usher_left_out[] = {
#embed "../../sql/usher/left_out.sql"
};
static const unsigned char usher_list_digests[] = {
#embed "../../sql/usher/list_digests.sql"
};
static const unsigned char usher_listed[] = {
#embed "../../sql/usher/listed.sql"
};
static const unsigned char usher_locks[] = {
#embed "../../sql/usher/locks.sql"
};
static const unsigned char usher_look_as_operator[] = {
#embed "../../sql/usher/look_as_operator.sql"
};
static const unsigned char usher_mark_environment[] = {
#embed "../../sql/usher/mark_environment.sql"
};
static const unsigned char usher_may[] = {
#embed "../../sql/usher/may.sql"
};
static const unsigned char usher_may_see[] = {
#embed "../../sql/usher/may_see.sql"
};
static const unsigned char usher_missing_role[] = {
#embed "../../sql/usher/missing_role.sql"
};
static const unsigned char usher_named_users[] = {
#embed "../../sql/usher/named_users.sql"
};
static const unsigned char usher_naming[] = {
#embed "../../sql/usher/naming.sql"
};
static const unsigned char usher_needles[] = {
#embed "../../sql/usher/needles.sql"
};
static const unsigned char usher_new_rows[] = {
#embed "../../sql/usher/new_rows.sql"
};
static const unsigned char usher_note[] = {
#embed "../../sql/usher/note.sql"
};
static const unsigned char usher_object[] = {
#embed "../../sql/usher/object.sql"
};
static const unsigned char usher_objectors[] = {
#embed "../../sql/usher/objectors.sql"
};
static const unsigned char usher_open_path[] = {
#embed "../../sql/usher/open_path.sql"
};
static const unsigned char usher_outcome[] = {
#embed "../../sql/usher/outcome.sql"
};
static const unsigned char usher_own_session[] = {
#embed "../../sql/usher/own_session.sql"
};
static const unsigned char usher_own_transaction[] = {
#embed "../../sql/usher/own_transaction.sql"
};
static const unsigned char usher_owner[] = {
#embed "../../sql/usher/owner.sql"
};
static const unsigned char usher_parents_first[] = {
#embed "../../sql/usher/parents_first.sql"
};
static const unsigned char usher_user_key[] = {
#embed "../../sql/usher/user_key.sql"
};
static const unsigned char usher_remains[] = {
#embed "../../sql/usher/remains.sql"
};
static const unsigned char usher_user_columns[] = {
#embed "../../sql/usher/user_columns.sql"
};
static const unsigned char usher_row_users[] = {
#embed "../../sql/usher/row_users.sql"
};
static const unsigned char usher_users_beside[] = {
#embed "../../sql/usher/users_beside.sql"
};
static const unsigned char usher_others[] = {
#embed "../../sql/usher/others.sql"
};

static const unsigned char usher_part[] = {
#embed "../../sql/usher/part.sql"
};
static const unsigned char usher_part_at_once[] = {
#embed "../../sql/usher/part_at_once.sql"
};
static const unsigned char usher_pass[] = {
#embed "../../sql/usher/pass.sql"
};
static const unsigned char usher_perform[] = {
#embed "../../sql/usher/perform.sql"
};
static const unsigned char usher_person[] = {
#embed "../../sql/usher/person.sql"
};
static const unsigned char usher_plain[] = {
#embed "../../sql/usher/plain.sql"
};
static const unsigned char usher_recorded_update[] = {
#embed "../../sql/usher/recorded_update.sql"
};
static const unsigned char usher_recorded_value[] = {
#embed "../../sql/usher/recorded_value.sql"
};
static const unsigned char usher_refuse_alone[] = {
#embed "../../sql/usher/refuse_alone.sql"
};
static const unsigned char usher_refuse_answered[] = {
#embed "../../sql/usher/refuse_answered.sql"
};
static const unsigned char usher_refuse_forbidden[] = {
#embed "../../sql/usher/refuse_forbidden.sql"
};
static const unsigned char usher_refuse_found[] = {
#embed "../../sql/usher/refuse_found.sql"
};
static const unsigned char usher_refuse_hidden[] = {
#embed "../../sql/usher/refuse_hidden.sql"
};
static const unsigned char usher_refuse_irrevocable[] = {
#embed "../../sql/usher/refuse_irrevocable.sql"
};
static const unsigned char usher_refuse_irrevocable_bulk[] = {
#embed "../../sql/usher/refuse_irrevocable_bulk.sql"
};
static const unsigned char usher_refuse_late[] = {
#embed "../../sql/usher/refuse_late.sql"
};
static const unsigned char usher_refuse_loose[] = {
#embed "../../sql/usher/refuse_loose.sql"
};
static const unsigned char usher_refuse_needless[] = {
#embed "../../sql/usher/refuse_needless.sql"
};
static const unsigned char usher_refuse_nobody[] = {
#embed "../../sql/usher/refuse_nobody.sql"
};
static const unsigned char usher_refuse_obstacle[] = {
#embed "../../sql/usher/refuse_obstacle.sql"
};
static const unsigned char usher_refuse_open_path[] = {
#embed "../../sql/usher/refuse_open_path.sql"
};

static const unsigned char usher_refuse_other_list[] = {
#embed "../../sql/usher/refuse_other_list.sql"
};
static const unsigned char usher_refuse_others[] = {
#embed "../../sql/usher/refuse_others.sql"
};
static const unsigned char usher_refuse_remade[] = {
#embed "../../sql/usher/refuse_remade.sql"
};
static const unsigned char usher_refuse_root[] = {
#embed "../../sql/usher/refuse_root.sql"
};
static const unsigned char usher_refuse_strange[] = {
#embed "../../sql/usher/refuse_strange.sql"
};
static const unsigned char usher_refuse_strangers[] = {
#embed "../../sql/usher/refuse_strangers.sql"
};
static const unsigned char usher_refuse_stray_rows[] = {
#embed "../../sql/usher/refuse_stray_rows.sql"
};
static const unsigned char usher_refuse_uncounted[] = {
#embed "../../sql/usher/refuse_uncounted.sql"
};
static const unsigned char usher_refuse_written[] = {
#embed "../../sql/usher/refuse_written.sql"
};
static const unsigned char usher_registered[] = {
#embed "../../sql/usher/registered.sql"
};
static const unsigned char usher_relation_name[] = {
#embed "../../sql/usher/relation_name.sql"
};
static const unsigned char usher_remade[] = {
#embed "../../sql/usher/remade.sql"
};

static const unsigned char usher_restore[] = {
#embed "../../sql/usher/restore.sql"
};
static const unsigned char usher_restore_statement[] = {
#embed "../../sql/usher/restore_statement.sql"
};
static const unsigned char usher_reached[] = {
#embed "../../sql/usher/reached.sql"
};
static const unsigned char usher_restored[] = {
#embed "../../sql/usher/restored.sql"
};
static const unsigned char usher_refuse_beside[] = {
#embed "../../sql/usher/refuse_beside.sql"
};
static const unsigned char usher_refuse_long[] = {
#embed "../../sql/usher/refuse_long.sql"
};
static const unsigned char usher_refuse_stale[] = {
#embed "../../sql/usher/refuse_stale.sql"
};
static const unsigned char usher_resumed[] = {
#embed "../../sql/usher/resumed.sql"
};
static const unsigned char usher_revoke_writes[] = {
#embed "../../sql/usher/revoke_writes.sql"
};
static const unsigned char usher_role_of[] = {
#embed "../../sql/usher/role_of.sql"
};
static const unsigned char usher_roles[] = {
#embed "../../sql/usher/roles.sql"
};
static const unsigned char usher_root[] = {
#embed "../../sql/usher/root.sql"
};
static const unsigned char usher_root_name[] = {
#embed "../../sql/usher/root_name.sql"
};
static const unsigned char usher_row_keys[] = {
#embed "../../sql/usher/row_keys.sql"
};
static const unsigned char usher_run[] = {
#embed "../../sql/usher/run.sql"
};
static const unsigned char usher_said[] = {
#embed "../../sql/usher/said.sql"
};
static const unsigned char usher_salts[] = {
#embed "../../sql/usher/salts.sql"
};
static const unsigned char usher_schema[] = {
#embed "../../sql/usher/schema.sql"
};
static const unsigned char usher_seal[] = {
#embed "../../sql/usher/seal.sql"
};
static const unsigned char usher_selected[] = {
#embed "../../sql/usher/selected.sql"
};
static const unsigned char usher_shape[] = {
#embed "../../sql/usher/shape.sql"
};
static const unsigned char usher_shapes[] = {
#embed "../../sql/usher/shapes.sql"
};
static const unsigned char usher_standing[] = {
#embed "../../sql/usher/standing.sql"
};
static const unsigned char usher_step[] = {
#embed "../../sql/usher/step.sql"
};
static const unsigned char usher_steps[] = {
#embed "../../sql/usher/steps.sql"
};
static const unsigned char usher_still_selected[] = {
#embed "../../sql/usher/still_selected.sql"
};
static const unsigned char usher_subject_digest[] = {
#embed "../../sql/usher/subject_digest.sql"
};
static const unsigned char usher_take_back[] = {
#embed "../../sql/usher/take_back.sql"
};
static const unsigned char usher_take_down[] = {
#embed "../../sql/usher/take_down.sql"
};
static const unsigned char usher_taken_back_at_once[] = {
#embed "../../sql/usher/taken_back_at_once.sql"
};
static const unsigned char usher_taken_back_from[] = {
#embed "../../sql/usher/taken_back_from.sql"
};
static const unsigned char usher_targets[] = {
#embed "../../sql/usher/targets.sql"
};
static const unsigned char usher_telling[] = {
#embed "../../sql/usher/telling.sql"
};
static const unsigned char usher_tells_all[] = {
#embed "../../sql/usher/tells_all.sql"
};
static const unsigned char usher_tick[] = {
#embed "../../sql/usher/tick.sql"
};
static const unsigned char usher_told[] = {
#embed "../../sql/usher/told.sql"
};
static const unsigned char usher_touched[] = {
#embed "../../sql/usher/touched.sql"
};
static const unsigned char usher_turned[] = {
#embed "../../sql/usher/turned.sql"
};
static const unsigned char usher_undo[] = {
#embed "../../sql/usher/undo.sql"
};
static const unsigned char usher_undo_acts[] = {
#embed "../../sql/usher/undo_acts.sql"
};
static const unsigned char usher_undo_piece[] = {
#embed "../../sql/usher/undo_piece.sql"
};
static const unsigned char usher_undo_steps[] = {
#embed "../../sql/usher/undo_steps.sql"
};
static const unsigned char usher_unkept[] = {
#embed "../../sql/usher/unkept.sql"
};
static const unsigned char usher_update_statement[] = {
#embed "../../sql/usher/update_statement.sql"
};
static const unsigned char usher_updated_at_once[] = {
#embed "../../sql/usher/updated_at_once.sql"
};
static const unsigned char usher_users[] = {
#embed "../../sql/usher/users.sql"
};
static const unsigned char usher_value[] = {
#embed "../../sql/usher/value.sql"
};
static const unsigned char usher_version[] = {
#embed "../../sql/usher/version.sql"
};
static const unsigned char usher_ways[] = {
#embed "../../sql/usher/ways.sql"
};
static const unsigned char usher_world[] = {
#embed "../../sql/usher/world.sql"
};
static const unsigned char usher_written[] = {
#embed "../../sql/usher/written.sql"
};
static const unsigned char usher_written_keys[] = {
#embed "../../sql/usher/written_keys.sql"
};
static const unsigned char usher_written_name[] = {
#embed "../../sql/usher/written_name.sql"
};

#define ENTRY(path, bytes) {path, bytes, sizeof bytes}

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
    ENTRY("catalog/act.sql", catalog_act),
    ENTRY("catalog/allowed_values.sql", catalog_allowed_values),
    ENTRY("catalog/archive_record.sql", catalog_archive_record),
    ENTRY("catalog/audit_blockers.sql", catalog_audit_blockers),
    ENTRY("catalog/audit_chain.sql", catalog_audit_chain),
    ENTRY("catalog/audit_changes.sql", catalog_audit_changes),
    ENTRY("catalog/audit_columns.sql", catalog_audit_columns),
    ENTRY("catalog/audit_erasures.sql", catalog_audit_erasures),
    ENTRY("catalog/audit_functions.sql", catalog_audit_functions),
    ENTRY("catalog/audit_inbox.sql", catalog_audit_inbox),
    ENTRY("catalog/audit_later.sql", catalog_audit_later),
    ENTRY("catalog/audit_list.sql", catalog_audit_list),
    ENTRY("catalog/audit_listed.sql", catalog_audit_listed),
    ENTRY("catalog/audit_payloads.sql", catalog_audit_payloads),
    ENTRY("catalog/audit_records.sql", catalog_audit_records),
    ENTRY("catalog/audit_returned.sql", catalog_audit_returned),
    ENTRY("catalog/audit_rights.sql", catalog_audit_rights),
    ENTRY("catalog/audit_show.sql", catalog_audit_show),
    ENTRY("catalog/audit_since.sql", catalog_audit_since),
    ENTRY("catalog/audit_subjects.sql", catalog_audit_subjects),
    ENTRY("catalog/audit_tables.sql", catalog_audit_tables),
    ENTRY("catalog/audit_tally.sql", catalog_audit_tally),
    ENTRY("catalog/audit_timeline.sql", catalog_audit_timeline),
    ENTRY("catalog/audit_triggers.sql", catalog_audit_triggers),
    ENTRY("catalog/base_columns.sql", catalog_base_columns),
    ENTRY("catalog/bulk_batches.sql", catalog_bulk_batches),
    ENTRY("catalog/called_functions.sql", catalog_called_functions),
    ENTRY("catalog/change_counters.sql", catalog_change_counters),
    ENTRY("catalog/change_counters_everywhere.sql", catalog_change_counters_everywhere),
    ENTRY("catalog/columns.sql", catalog_columns),
    ENTRY("catalog/coordinator.sql", catalog_coordinator),
    ENTRY("catalog/copy_columns.sql", catalog_copy_columns),
    ENTRY("catalog/demanding_columns.sql", catalog_demanding_columns),
    ENTRY("catalog/distributed.sql", catalog_distributed),
    ENTRY("catalog/engines.sql", catalog_engines),
    ENTRY("catalog/environment.sql", catalog_environment),
    ENTRY("catalog/erasure_accounts.sql", catalog_erasure_accounts),
    ENTRY("catalog/erasure_answers.sql", catalog_erasure_answers),
    ENTRY("catalog/erasure_keepers.sql", catalog_erasure_keepers),
    ENTRY("catalog/erasure_unfinished.sql", catalog_erasure_unfinished),
    ENTRY("catalog/erasure_written.sql", catalog_erasure_written),
    ENTRY("catalog/evidence.sql", catalog_evidence),
    ENTRY("catalog/fence.sql", catalog_fence),
    ENTRY("catalog/foreign_keys.sql", catalog_foreign_keys),
    ENTRY("catalog/foreign_servers.sql", catalog_foreign_servers),
    ENTRY("catalog/grantable_tables.sql", catalog_grantable_tables),
    ENTRY("catalog/granted_privileges.sql", catalog_granted_privileges),
    ENTRY("catalog/graph_columns.sql", catalog_graph_columns),
    ENTRY("catalog/graph_references.sql", catalog_graph_references),
    ENTRY("catalog/graph_tables.sql", catalog_graph_tables),
    ENTRY("catalog/held_secrets.sql", catalog_held_secrets),
    ENTRY("catalog/held_writes.sql", catalog_held_writes),
    ENTRY("catalog/helper_indexes.sql", catalog_helper_indexes),
    ENTRY("catalog/identity.sql", catalog_identity),
    ENTRY("catalog/impossible_lines.sql", catalog_impossible_lines),
    ENTRY("catalog/index_leads.sql", catalog_index_leads),
    ENTRY("catalog/install.sql", catalog_install),
    ENTRY("catalog/install_remains.sql", catalog_install_remains),
    ENTRY("catalog/known_as.sql", catalog_known_as),
    ENTRY("catalog/known_names.sql", catalog_known_names),
    ENTRY("catalog/led_columns.sql", catalog_led_columns),
    ENTRY("catalog/ledger.sql", catalog_ledger),
    ENTRY("catalog/lexicon.sql", catalog_lexicon),
    ENTRY("catalog/limit_columns.sql", catalog_limit_columns),
    ENTRY("catalog/marked_columns.sql", catalog_marked_columns),
    ENTRY("catalog/marked_tables.sql", catalog_marked_tables),
    ENTRY("catalog/missing_rights.sql", catalog_missing_rights),
    ENTRY("catalog/open_writers.sql", catalog_open_writers),
    ENTRY("catalog/other_servers.sql", catalog_other_servers),
    ENTRY("catalog/pending_files.sql", catalog_pending_files),
    ENTRY("catalog/plan_outputs.sql", catalog_plan_outputs),
    ENTRY("catalog/read_settings.sql", catalog_read_settings),
    ENTRY("catalog/reassigned_columns.sql", catalog_reassigned_columns),
    ENTRY("catalog/request_terms.sql", catalog_request_terms),
    ENTRY("catalog/requests.sql", catalog_requests),
    ENTRY("catalog/required_privileges.sql", catalog_required_privileges),
    ENTRY("catalog/residue_columns.sql", catalog_residue_columns),
    ENTRY("catalog/root_columns.sql", catalog_root_columns),
    ENTRY("catalog/root_tables.sql", catalog_root_tables),
    ENTRY("catalog/samples.sql", catalog_samples),
    ENTRY("catalog/seal.sql", catalog_seal),
    ENTRY("catalog/secret_names.sql", catalog_secret_names),
    ENTRY("catalog/secret_values.sql", catalog_secret_values),
    ENTRY("catalog/seen_values.sql", catalog_seen_values),
    ENTRY("catalog/session.sql", catalog_session),
    ENTRY("catalog/session_readers.sql", catalog_session_readers),
    ENTRY("catalog/table_indexes.sql", catalog_table_indexes),
    ENTRY("catalog/table_policies.sql", catalog_table_policies),
    ENTRY("catalog/tables.sql", catalog_tables),
    ENTRY("catalog/tenants.sql", catalog_tenants),
    ENTRY("catalog/text_columns.sql", catalog_text_columns),
    ENTRY("catalog/tried_marks.sql", catalog_tried_marks),
    ENTRY("catalog/tried_statements.sql", catalog_tried_statements),
    ENTRY("catalog/trigger_effects.sql", catalog_trigger_effects),
    ENTRY("catalog/trigrams.sql", catalog_trigrams),
    ENTRY("catalog/type_kinds.sql", catalog_type_kinds),
    ENTRY("catalog/typed_answers.sql", catalog_typed_answers),
    ENTRY("catalog/typed_clock.sql", catalog_typed_clock),
    ENTRY("catalog/typed_date.sql", catalog_typed_date),
    ENTRY("catalog/typed_reading.sql", catalog_typed_reading),
    ENTRY("catalog/typed_time.sql", catalog_typed_time),
    ENTRY("catalog/typed_types.sql", catalog_typed_types),
    ENTRY("catalog/typed_values.sql", catalog_typed_values),
    ENTRY("catalog/types.sql", catalog_types),
    ENTRY("catalog/undo_operation.sql", catalog_undo_operation),
    ENTRY("catalog/unindexed_references.sql", catalog_unindexed_references),
    ENTRY("catalog/unique_keys.sql", catalog_unique_keys),
    ENTRY("catalog/unshared_columns.sql", catalog_unshared_columns),
    ENTRY("catalog/user_desk.sql", catalog_user_desk),
    ENTRY("catalog/user_columns.sql", catalog_user_columns),
    ENTRY("catalog/waiting.sql", catalog_waiting),
    ENTRY("catalog/writable.sql", catalog_writable),
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
    ENTRY("usher/about.sql", usher_about),
    ENTRY("usher/account_for.sql", usher_account_for),
    ENTRY("usher/account_root.sql", usher_account_root),
    ENTRY("usher/act_now.sql", usher_act_now),
    ENTRY("usher/act_of.sql", usher_act_of),
    ENTRY("usher/acts.sql", usher_acts),
    ENTRY("usher/addresses.sql", usher_addresses),
    ENTRY("usher/answer.sql", usher_answer),
    ENTRY("usher/answered.sql", usher_answered),
    ENTRY("usher/app_of.sql", usher_app_of),
    ENTRY("usher/arguments.sql", usher_arguments),
    ENTRY("usher/ask.sql", usher_ask),
    ENTRY("usher/ask_deletion.sql", usher_ask_deletion),
    ENTRY("usher/asked_for.sql", usher_asked_for),
    ENTRY("usher/attempt.sql", usher_attempt),
    ENTRY("usher/batch.sql", usher_batch),
    ENTRY("usher/begin.sql", usher_begin),
    ENTRY("usher/changed_since.sql", usher_changed_since),
    ENTRY("usher/changes.sql", usher_changes),
    ENTRY("usher/claimed.sql", usher_claimed),
    ENTRY("usher/concerned.sql", usher_concerned),
    ENTRY("usher/counted_as.sql", usher_counted_as),
    ENTRY("usher/counted_at_once.sql", usher_counted_at_once),
    ENTRY("usher/counted_by_all.sql", usher_counted_by_all),
    ENTRY("usher/counters.sql", usher_counters),
    ENTRY("usher/decided.sql", usher_decided),
    ENTRY("usher/deferred.sql", usher_deferred),
    ENTRY("usher/definers.sql", usher_definers),
    ENTRY("usher/desk.sql", usher_desk),
    ENTRY("usher/differences.sql", usher_differences),
    ENTRY("usher/distinct_keys.sql", usher_distinct_keys),
    ENTRY("usher/drop_functions.sql", usher_drop_functions),
    ENTRY("usher/empty.sql", usher_empty),
    ENTRY("usher/enter.sql", usher_enter),
    ENTRY("usher/enter_undo.sql", usher_enter_undo),
    ENTRY("usher/environment_for.sql", usher_environment_for),
    ENTRY("usher/environment_name.sql", usher_environment_name),
    ENTRY("usher/erase.sql", usher_erase),
    ENTRY("usher/erased_changes.sql", usher_erased_changes),
    ENTRY("usher/erasure.sql", usher_erasure),
    ENTRY("usher/extensions.sql", usher_extensions),
    ENTRY("usher/find_act.sql", usher_find_act),
    ENTRY("usher/fingerprint.sql", usher_fingerprint),
    ENTRY("usher/first_changes.sql", usher_first_changes),
    ENTRY("usher/finish.sql", usher_finish),
    ENTRY("usher/found.sql", usher_found),
    ENTRY("usher/grants.sql", usher_grants),
    ENTRY("usher/guard_erasure.sql", usher_guard_erasure),
    ENTRY("usher/guarded.sql", usher_guarded),
    ENTRY("usher/has_key.sql", usher_has_key),
    ENTRY("usher/has_moved.sql", usher_has_moved),
    ENTRY("usher/head.sql", usher_head),
    ENTRY("usher/holds.sql", usher_holds),
    ENTRY("usher/image.sql", usher_image),
    ENTRY("usher/images.sql", usher_images),
    ENTRY("usher/impacts.sql", usher_impacts),
    ENTRY("usher/install_acts.sql", usher_install_acts),
    ENTRY("usher/instant.sql", usher_instant),
    ENTRY("usher/is_distributed.sql", usher_is_distributed),
    ENTRY("usher/is_of_own.sql", usher_is_of_own),
    ENTRY("usher/is_passing.sql", usher_is_passing),
    ENTRY("usher/is_untold.sql", usher_is_untold),
    ENTRY("usher/judged.sql", usher_judged),
    ENTRY("usher/key_column.sql", usher_key_column),
    ENTRY("usher/key_join.sql", usher_key_join),
    ENTRY("usher/key_texts.sql", usher_key_texts),
    ENTRY("usher/keys.sql", usher_keys),
    ENTRY("usher/kind_of_undoing.sql", usher_kind_of_undoing),
    ENTRY("usher/labelled.sql", usher_labelled),
    ENTRY("usher/leaf.sql", usher_leaf),
    ENTRY("usher/left_out.sql", usher_left_out),
    ENTRY("usher/list_digests.sql", usher_list_digests),
    ENTRY("usher/listed.sql", usher_listed),
    ENTRY("usher/locks.sql", usher_locks),
    ENTRY("usher/look_as_operator.sql", usher_look_as_operator),
    ENTRY("usher/mark_environment.sql", usher_mark_environment),
    ENTRY("usher/may.sql", usher_may),
    ENTRY("usher/may_see.sql", usher_may_see),
    ENTRY("usher/missing_role.sql", usher_missing_role),
    ENTRY("usher/named_users.sql", usher_named_users),
    ENTRY("usher/naming.sql", usher_naming),
    ENTRY("usher/needles.sql", usher_needles),
    ENTRY("usher/new_rows.sql", usher_new_rows),
    ENTRY("usher/note.sql", usher_note),
    ENTRY("usher/object.sql", usher_object),
    ENTRY("usher/objectors.sql", usher_objectors),
    ENTRY("usher/open_path.sql", usher_open_path),
    ENTRY("usher/outcome.sql", usher_outcome),
    ENTRY("usher/own_session.sql", usher_own_session),
    ENTRY("usher/own_transaction.sql", usher_own_transaction),
    ENTRY("usher/owner.sql", usher_owner),
    ENTRY("usher/parents_first.sql", usher_parents_first),
    ENTRY("usher/user_key.sql", usher_user_key),
    ENTRY("usher/remains.sql", usher_remains),
    ENTRY("usher/user_columns.sql", usher_user_columns),
    ENTRY("usher/row_users.sql", usher_row_users),
    ENTRY("usher/users_beside.sql", usher_users_beside),
    ENTRY("usher/others.sql", usher_others),
    ENTRY("usher/part.sql", usher_part),
    ENTRY("usher/part_at_once.sql", usher_part_at_once),
    ENTRY("usher/pass.sql", usher_pass),
    ENTRY("usher/perform.sql", usher_perform),
    ENTRY("usher/person.sql", usher_person),
    ENTRY("usher/plain.sql", usher_plain),
    ENTRY("usher/recorded_update.sql", usher_recorded_update),
    ENTRY("usher/recorded_value.sql", usher_recorded_value),
    ENTRY("usher/refuse_alone.sql", usher_refuse_alone),
    ENTRY("usher/refuse_answered.sql", usher_refuse_answered),
    ENTRY("usher/refuse_forbidden.sql", usher_refuse_forbidden),
    ENTRY("usher/refuse_found.sql", usher_refuse_found),
    ENTRY("usher/refuse_hidden.sql", usher_refuse_hidden),
    ENTRY("usher/refuse_irrevocable.sql", usher_refuse_irrevocable),
    ENTRY("usher/refuse_irrevocable_bulk.sql", usher_refuse_irrevocable_bulk),
    ENTRY("usher/refuse_late.sql", usher_refuse_late),
    ENTRY("usher/refuse_loose.sql", usher_refuse_loose),
    ENTRY("usher/refuse_needless.sql", usher_refuse_needless),
    ENTRY("usher/refuse_nobody.sql", usher_refuse_nobody),
    ENTRY("usher/refuse_obstacle.sql", usher_refuse_obstacle),
    ENTRY("usher/refuse_open_path.sql", usher_refuse_open_path),
    ENTRY("usher/refuse_other_list.sql", usher_refuse_other_list),
    ENTRY("usher/refuse_others.sql", usher_refuse_others),
    ENTRY("usher/refuse_remade.sql", usher_refuse_remade),
    ENTRY("usher/refuse_root.sql", usher_refuse_root),
    ENTRY("usher/refuse_strange.sql", usher_refuse_strange),
    ENTRY("usher/refuse_strangers.sql", usher_refuse_strangers),
    ENTRY("usher/refuse_stray_rows.sql", usher_refuse_stray_rows),
    ENTRY("usher/refuse_uncounted.sql", usher_refuse_uncounted),
    ENTRY("usher/refuse_written.sql", usher_refuse_written),
    ENTRY("usher/registered.sql", usher_registered),
    ENTRY("usher/relation_name.sql", usher_relation_name),
    ENTRY("usher/remade.sql", usher_remade),
    ENTRY("usher/restore.sql", usher_restore),
    ENTRY("usher/restore_statement.sql", usher_restore_statement),
    ENTRY("usher/reached.sql", usher_reached),
    ENTRY("usher/restored.sql", usher_restored),
    ENTRY("usher/refuse_beside.sql", usher_refuse_beside),
    ENTRY("usher/refuse_long.sql", usher_refuse_long),
    ENTRY("usher/refuse_stale.sql", usher_refuse_stale),
    ENTRY("usher/resumed.sql", usher_resumed),
    ENTRY("usher/revoke_writes.sql", usher_revoke_writes),
    ENTRY("usher/role_of.sql", usher_role_of),
    ENTRY("usher/roles.sql", usher_roles),
    ENTRY("usher/root.sql", usher_root),
    ENTRY("usher/root_name.sql", usher_root_name),
    ENTRY("usher/row_keys.sql", usher_row_keys),
    ENTRY("usher/run.sql", usher_run),
    ENTRY("usher/said.sql", usher_said),
    ENTRY("usher/salts.sql", usher_salts),
    ENTRY("usher/schema.sql", usher_schema),
    ENTRY("usher/seal.sql", usher_seal),
    ENTRY("usher/selected.sql", usher_selected),
    ENTRY("usher/shape.sql", usher_shape),
    ENTRY("usher/shapes.sql", usher_shapes),
    ENTRY("usher/standing.sql", usher_standing),
    ENTRY("usher/step.sql", usher_step),
    ENTRY("usher/steps.sql", usher_steps),
    ENTRY("usher/still_selected.sql", usher_still_selected),
    ENTRY("usher/subject_digest.sql", usher_subject_digest),
    ENTRY("usher/take_back.sql", usher_take_back),
    ENTRY("usher/take_down.sql", usher_take_down),
    ENTRY("usher/taken_back_at_once.sql", usher_taken_back_at_once),
    ENTRY("usher/taken_back_from.sql", usher_taken_back_from),
    ENTRY("usher/targets.sql", usher_targets),
    ENTRY("usher/telling.sql", usher_telling),
    ENTRY("usher/tells_all.sql", usher_tells_all),
    ENTRY("usher/tick.sql", usher_tick),
    ENTRY("usher/told.sql", usher_told),
    ENTRY("usher/touched.sql", usher_touched),
    ENTRY("usher/turned.sql", usher_turned),
    ENTRY("usher/undo.sql", usher_undo),
    ENTRY("usher/undo_acts.sql", usher_undo_acts),
    ENTRY("usher/undo_piece.sql", usher_undo_piece),
    ENTRY("usher/undo_steps.sql", usher_undo_steps),
    ENTRY("usher/unkept.sql", usher_unkept),
    ENTRY("usher/update_statement.sql", usher_update_statement),
    ENTRY("usher/updated_at_once.sql", usher_updated_at_once),
    ENTRY("usher/users.sql", usher_users),
    ENTRY("usher/value.sql", usher_value),
    ENTRY("usher/version.sql", usher_version),
    ENTRY("usher/ways.sql", usher_ways),
    ENTRY("usher/world.sql", usher_world),
    ENTRY("usher/written.sql", usher_written),
    ENTRY("usher/written_keys.sql", usher_written_keys),
    ENTRY("usher/written_name.sql", usher_written_name),
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
