package dev.outbox.sample.events;

/** Names what travels beside a payload: who an event is about, where its payload does not say so. */
public final class Headers {

    /** The guild that an event is about. */
    public static final String GUILD_ID = "guildId";

    /** The billing key that pays for a subscription. */
    public static final String BILLING_KEY_ID = "billingKeyId";

    private Headers() {}
}
