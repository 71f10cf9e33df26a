package dev.outbox.internal.delivery;

import dev.outbox.internal.failure.Secrets;

/** On whose word something is done. */
public record AuditInfo(String by, String reason) {

    /** Takes secrets out of the reason, which is stored and logged. */
    public AuditInfo {
        reason = Secrets.redact(reason);
    }
}
