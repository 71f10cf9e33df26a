package dev.outbox.sample.events;

import java.time.Instant;
import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * Events about billing keys and subscriptions: published by billing, aggregates {@code billing_key} and
 * {@code subscription}. Events about subscriptions name the guild in {@link Headers#GUILD_ID}.
 */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface BillingEvent {

    /** A change of what a subscription entitles its guild to. */
    sealed interface EntitlementEvent extends BillingEvent {}

    /** A billing key was issued, so its owner can be charged. */
    record BillingKeyIssued(String userId, UUID billingKeyId) implements BillingEvent {}

    /** A billing key was deleted and can no longer be charged. */
    record BillingKeyDeleted(String userId, UUID billingKeyId) implements BillingEvent {}

    /**
     * A subscription was created and its first payment succeeded; {@link Headers#BILLING_KEY_ID} names the key that pays,
     * {@link Headers#PERIOD_END} the end of the first period.
     */
    record SubscriptionStarted(UUID subscriptionId, String guildId, String planCode) implements EntitlementEvent {}

    /** A recurring payment succeeded; {@link Headers#PLAN_CODE} names the plan of the new period. */
    record PaymentSucceeded(UUID subscriptionId, UUID attemptId, Instant newPeriodEnd) implements EntitlementEvent {}

    /**
     * A recurring payment failed and will be tried again, at {@link Headers#NEXT_ATTEMPT_AT}; {@code retryCount} payments in a row have failed
     * by now.
     */
    record PaymentFailed(UUID subscriptionId, UUID attemptId, int retryCount) implements BillingEvent {}

    /** A recurring payment failed for the last time, and the subscription was canceled. */
    record PaymentFailedFinal(UUID subscriptionId) implements EntitlementEvent {}

    /** A user has canceled a subscription, at once or for the end of the period. */
    record SubscriptionCanceled(UUID subscriptionId, boolean cancelAtPeriodEnd) implements BillingEvent {}

    /** A subscription no longer entitles to a license, for example because the bot was kicked or the last period is over. */
    record SubscriptionSuspended(UUID subscriptionId, String reason) implements EntitlementEvent {}

    /** A subscription has a higher plan, as of now. */
    record PlanUpgraded(UUID subscriptionId, String oldPlan, String newPlan) implements EntitlementEvent {}

    /** A subscription will have a lower plan. */
    record PlanDowngraded(UUID subscriptionId, String oldPlan, String newPlan, Instant effectiveAt)
            implements BillingEvent {}
}
