package dev.outbox.operations;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that a search found.
 *
 * @param events the events, latest first
 * @param next where the next page begins, for {@link EventSelection#before}; {@code null} if no older event is left
 */
public record EventPage(List<Entry> events, @Nullable Long next) {

    /**
     * Event of a page.
     *
     * @param event the event
     * @param status its status; a live claim does not count, so it is never {@link EventDetails.Status#PROCESSING}
     */
    public record Entry(Delivery.Event event, EventDetails.Status status) {}
}
