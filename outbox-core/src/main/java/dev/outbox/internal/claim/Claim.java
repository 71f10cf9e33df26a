package dev.outbox.internal.claim;

import dev.outbox.internal.dispatch.ClaimedEvent;
import dev.outbox.internal.lease.ClaimKey;
import java.util.List;

/** A batch of events that belongs to one worker until it settles them or its lease expires. */
public record Claim(ClaimKey key, List<ClaimedEvent> events) {

    public Claim {
        events = List.copyOf(events);
    }

    /** Returns the id of the claim row. */
    public long id() {
        return key.id();
    }
}
