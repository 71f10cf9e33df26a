package dev.outbox.internal.notify;

/** What a wake-up is for: the poller of a stream, the movers of scheduled events, or everything, replays and registrations included. */
public record WakeUp(Kind kind, String stream) {

    public static final WakeUp SCHEDULED = new WakeUp(Kind.SCHEDULED, "");
    public static final WakeUp EVERYTHING = new WakeUp(Kind.EVERYTHING, "");

    /** What is to look for work. */
    public enum Kind {
        STREAM,
        SCHEDULED,
        EVERYTHING
    }

    /** Returns a wake-up for the poller of a stream. */
    public static WakeUp of(String stream) {
        return new WakeUp(Kind.STREAM, stream);
    }
}
