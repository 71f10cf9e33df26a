package dev.outbox.chaos.process;

import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.process.Publisher.Act;
import dev.outbox.chaos.process.Publisher.Deadline;
import dev.outbox.chaos.process.Publisher.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.json.JsonMapper;

/** Decides at random what a publisher's transactions do. */
final class Traffic {

    /** Event types with their aggregate types. */
    static final String OPENED = "Opened";

    static final String MOVED = "Moved";
    static final String PAID = "Paid";
    static final String REFUNDED = "Refunded";
    static final String CLOSED = "Closed";

    /** Aggregate type of the stream that handles several aggregates at once. */
    static final String PAYMENT = "payment";

    static final Set<String> TYPES = Set.of(OPENED, MOVED, PAID, REFUNDED, CLOSED);

    /** Number of aggregates that have few events each. */
    static final int COLD_AGGREGATES = 3000;

    /** Largest number of events of a transaction. */
    private static final int LARGEST_TRANSACTION = 9;

    private static final int HOT_AGGREGATES = 8;
    private static final List<String> KEYS = List.of("deadline", "reminder");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Random random;
    private final int coldAggregates;
    private final boolean schedules;
    private int number;

    Traffic(long seed, int coldAggregates, boolean schedules) {
        this.random = new Random(seed);
        this.coldAggregates = coldAggregates;
        this.schedules = schedules;
    }

    /** Payload of every event. */
    record Payload(int number, Object amount, String text, List<String> tags) {}

    Plan next() {
        int count = 1 + random.nextInt(LARGEST_TRANSACTION);
        int end = random.nextInt(100);
        boolean aborts = end < 5;
        boolean goesBack = end >= 95;
        List<IntendedEvent> events = new ArrayList<>();
        Map<UUID, Deadline> deadlines = new HashMap<>();
        for (int i = 0; i < count; i++) {
            String payload = payload();
            Deadline deadline = schedules && random.nextInt(8) == 0 ? deadline() : null;
            String aggregateId = deadline == null || deadline.key() == null ? aggregateId() : hotAggregateId();
            IntendedEvent event = event(aggregateId, payload, goesBack && random.nextBoolean());
            events.add(event);
            if (deadline != null) {
                deadlines.put(event.eventId(), deadline);
            }
        }
        events.sort(Comparator.comparing(IntendedEvent::aggregateType).thenComparing(IntendedEvent::aggregateId));
        return new Plan(events, deadlines, aborts, random.nextBoolean());
    }

    /** Most are due within seconds. Those with a key share few keys, and the others are never withdrawn. */
    private Deadline deadline() {
        Duration delay = random.nextInt(5) == 0 ? Duration.ofHours(1) : Duration.ofMillis(random.nextInt(4000));
        int choice = random.nextInt(10);
        Act act = choice < 4 ? Act.AFTER : choice < 7 ? Act.AT : choice < 8 ? Act.KEEP : Act.CANCEL;
        boolean hasKey = act == Act.KEEP || act == Act.CANCEL || random.nextInt(3) > 0;
        return new Deadline(act, delay, hasKey ? KEYS.get(random.nextInt(KEYS.size())) : null);
    }

    private IntendedEvent event(String aggregateId, String payload, boolean rolledBack) {
        int choice = random.nextInt(1000);
        String type =
                choice < 250 ? OPENED : choice < 600 ? MOVED : choice < 900 ? PAID : choice < 980 ? REFUNDED : CLOSED;
        String aggregateType = switch (type) {
            case PAID, REFUNDED -> PAYMENT;
            case CLOSED -> "report";
            default -> "order";
        };
        UUID id = new UUID(random.nextLong(), random.nextLong());
        Map<String, String> headers =
                Map.of("traceId", id.toString().substring(0, 8), "naïve \"name\"", "välue\\" + number);
        return new IntendedEvent(id, type, aggregateType, aggregateId, payload, headers, rolledBack);
    }

    /** Transaction that shares no aggregate with another one. */
    synchronized Plan single() {
        UUID id = new UUID(random.nextLong(), random.nextLong());
        IntendedEvent event = new IntendedEvent(id, OPENED, "order", "single-" + id, payload(), Map.of());
        return new Plan(List.of(event), Map.of(), false, false);
    }

    private String aggregateId() {
        return random.nextInt(4) == 0 ? hotAggregateId() : "cold-" + random.nextInt(coldAggregates);
    }

    private String hotAggregateId() {
        return "hot-" + random.nextInt(HOT_AGGREGATES);
    }

    /** One payload in 400 has an amount that no handler can decode. */
    private String payload() {
        number++;
        Object amount = random.nextInt(400) == 0 ? "a lot" : (Object) random.nextInt(1_000_000);
        return JSON.writeValueAsString(new Payload(
                number,
                amount,
                "text \u00e9\u4e2d\uD83D\uDE00 \"" + number + "\" \\ \n",
                List.of("a", "b " + random.nextInt(9))));
    }
}
