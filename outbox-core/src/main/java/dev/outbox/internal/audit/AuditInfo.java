package dev.outbox.internal.audit;

import dev.outbox.internal.failure.Redaction;
import org.jspecify.annotations.Nullable;

/** Who asked for an operation, and why; the reason contains no secrets. A command of several operations has a number. */
public record AuditInfo(
        String actor, String reason, @Nullable Long command) {

    public AuditInfo {
        reason = Redaction.of(reason);
    }

    public AuditInfo(String actor, String reason) {
        this(actor, reason, null);
    }

    public AuditInfo asCommand(long number) {
        return new AuditInfo(actor, reason, number);
    }
}
