package dev.outbox.internal.audit;

import dev.outbox.internal.failure.Redaction;

/** Who asked for an operation, and why; the reason contains no secrets. */
public record AuditInfo(String actor, String reason) {

    public AuditInfo {
        reason = Redaction.of(reason);
    }
}
