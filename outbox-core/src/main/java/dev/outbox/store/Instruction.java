package dev.outbox.store;

/**
 * On whose word something is done.
 *
 * @param by who wants it
 * @param reason why
 */
public record Instruction(String by, String reason) {

    /** Takes secrets out of the reason, which is stored and logged. */
    public Instruction {
        reason = Secrets.redact(reason);
    }
}
