package dev.outbox.sample.demo;

/**
 * How far a load is.
 *
 * @param running whether it goes on
 * @param asked how many events it is to publish
 * @param published how many it has published
 * @param failed how many could not be published
 * @param handled how many events are done, those included that handlers have published because of them
 * @param backlog how many of these are not done yet
 */
record LoadStatus(boolean running, long asked, long published, long failed, long handled, long backlog) {

    static final LoadStatus NONE = new LoadStatus(false, 0, 0, 0, 0, 0);
}
