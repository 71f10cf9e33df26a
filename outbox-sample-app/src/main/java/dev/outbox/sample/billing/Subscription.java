package dev.outbox.sample.billing;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A plan that a guild pays for: {@code pending} until its first payment, then {@code active}, or {@code past_due} while a payment is
 * tried again, and at last {@code suspended} or {@code canceled}.
 */
record Subscription(
        UUID id,
        String guildId,
        UUID billingKeyId,
        String userId,
        String planCode,
        @Nullable String nextPlanCode,
        String status,
        boolean cancelAtPeriodEnd,
        int retryCount,
        @Nullable Instant periodEnd,
        @Nullable Instant startedAt,
        Instant nextChargeAt) {

    boolean isPending() {
        return status.equals("pending");
    }

    boolean isPastDue() {
        return status.equals("past_due");
    }

    boolean isRunning() {
        return status.equals("active") || isPastDue();
    }

    boolean isChargeable() {
        return isPending() || isRunning();
    }

    /** The plan that the next period is paid for. */
    String planToCharge() {
        return nextPlanCode != null ? nextPlanCode : planCode;
    }
}
