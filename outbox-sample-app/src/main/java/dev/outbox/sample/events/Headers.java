package dev.outbox.sample.events;

/** Names of event headers. */
public final class Headers {

    /** The guild that an event is about. */
    public static final String GUILD_ID = "guildId";

    /** The user who pays for a subscription or license. */
    public static final String USER_ID = "userId";

    /** The billing key that pays for a subscription. */
    public static final String BILLING_KEY_ID = "billingKeyId";

    /** The end of the period that the first payment of a subscription paid for. */
    public static final String PERIOD_END = "periodEnd";

    /** The plan of the period that a payment paid for. */
    public static final String PLAN_CODE = "planCode";

    /** The higher plan before a payment; only if this payment lowered the plan. */
    public static final String DOWNGRADED_FROM = "downgradedFrom";

    /** When a failed payment is attempted again; absent if the subscription ends instead. */
    public static final String NEXT_ATTEMPT_AT = "nextAttemptAt";

    /** The owner on whose behalf a message is sent. */
    public static final String OWNER_ID = "ownerId";

    /** The strategy that caused a message. */
    public static final String STRATEGY_KEY = "strategyKey";

    /** The market that a message is about. */
    public static final String MARKET = "market";

    private Headers() {}
}
