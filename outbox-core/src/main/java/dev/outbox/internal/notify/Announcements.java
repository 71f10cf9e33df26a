package dev.outbox.internal.notify;

import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/** Receives what pollers have claimed and left for other instances, and knows how many poll. */
public interface Announcements {

    /** Announces nothing. */
    Announcements NONE = new Announcements() {
        @Override
        public void delegated(String stream) {}

        @Override
        public void claimed(String stream, Supplier<Set<UUID>> eventIds, boolean full) {}

        @Override
        public int pollers(String stream) {
            return 1;
        }
    };

    /** Announces deliveries of a stream to the instances that have their handlers. */
    void delegated(String stream);

    /** Withdraws what was to be announced of the claimed events; a full claim leaves events to others. */
    void claimed(String stream, Supplier<Set<UUID>> eventIds, boolean full);

    /** Returns how many instances poll a stream, this one included, as of its last look. */
    int pollers(String stream);
}
