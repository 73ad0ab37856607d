package import Asking
package import PQ

/// Why it is not known what roles need.
package enum GrantsRefusal: Refusal {
    /// What statements need is read from functions that are made, and taken back, and this session may make none.
    case readOnly(ReadOnlySession)

    package var kind: Failure.Kind { .refused }
    package var nothing: Failure.Nothing? { .changed }
    package var cause: Failure? { nil }
}
