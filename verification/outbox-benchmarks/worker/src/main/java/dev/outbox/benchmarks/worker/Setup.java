package dev.outbox.benchmarks.worker;

/**
 * Setup of a contestant.
 *
 * @param url the JDBC URL with the credentials and the driver's settings
 * @param tuned whether the contestant has its best settings instead of its defaults
 * @param role the role of the process
 * @param handling the handler
 * @param claims the journal of claims; the number of an entry is that of the claimed events
 */
public record Setup(String url, boolean tuned, Role role, Handling handling, Journal claims) {

    /** Delay of a retry at tuned settings. */
    public static final int RETRY_AFTER_MILLIS = 1000;

    /** Returns the same setup with another number of connections. */
    public Setup withPool(int connections) {
        return new Setup(url, tuned, role.withPool(connections), handling, claims);
    }
}
