package dev.outbox.messaging.rabbit;

import dev.outbox.OutboxEvent;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Steady traffic of 200 events a second. */
final class Traffic {

    static final int AGGREGATES = 97;

    private static final int EVENTS = 10;
    private static final int MILLIS = 50;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final Shop shop;
    private final String aggregateType;
    private int published;

    private Traffic(Shop shop, String aggregateType) {
        this.shop = shop;
        this.aggregateType = aggregateType;
    }

    static Traffic start(Shop shop, String aggregateType) {
        Traffic traffic = new Traffic(shop, aggregateType);
        traffic.clock.scheduleAtFixedRate(traffic::publish, 0, MILLIS, TimeUnit.MILLISECONDS);
        return traffic;
    }

    private void publish() {
        shop.publish(IntStream.range(published, published + EVENTS)
                .mapToObj((number) -> Shop.event(aggregateType, aggregateType + "-" + number % AGGREGATES, "text"))
                .toArray(OutboxEvent[]::new));
        published += EVENTS;
    }

    /** Stops after an event of each aggregate at least, and returns the number of all events. */
    int stop() {
        try {
            return clock.submit(() -> {
                        while (published < AGGREGATES) {
                            publish();
                        }
                        clock.shutdownNow();
                        return published;
                    })
                    .get();
        } catch (InterruptedException | ExecutionException ex) {
            throw new AssertionError(ex);
        }
    }
}
