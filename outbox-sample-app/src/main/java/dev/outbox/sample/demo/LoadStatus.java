package dev.outbox.sample.demo;

/**
 * Progress of a load.
 *
 * @param running whether the load is running
 * @param asked the requested number of events
 * @param published the number of published events
 * @param failed the number of events that could not be published
 * @param handled the number of completed events, including events that handlers published in response
 * @param backlog the number of events that are not completed yet
 */
record LoadStatus(boolean running, long asked, long published, long failed, long handled, long backlog) {

    static final LoadStatus NONE = new LoadStatus(false, 0, 0, 0, 0, 0);
}
