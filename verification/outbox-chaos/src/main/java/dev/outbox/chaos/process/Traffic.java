package dev.outbox.chaos.process;

import dev.outbox.chaos.history.Fact.IntendedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
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
    static final int LARGEST_TRANSACTION = 9;

    private static final int HOT_AGGREGATES = 8;
    private static final List<String> KEYS = List.of("deadline", "reminder");

    private final Random random;
    private final int coldAggregates;
    private final int largestTransaction;
    private final boolean schedules;
    private final JsonMapper mapper;
    private int number;

    Traffic(long seed, int coldAggregates, boolean schedules, JsonMapper mapper) {
        this(seed, coldAggregates, LARGEST_TRANSACTION, schedules, mapper);
    }

    Traffic(long seed, int coldAggregates, int largestTransaction, boolean schedules, JsonMapper mapper) {
        this.largestTransaction = largestTransaction;
        this.schedules = schedules;
        this.random = new Random(seed);
        this.coldAggregates = coldAggregates;
        this.mapper = mapper;
    }

    /** Transaction with its events, sorted by aggregate. Those with a deadline do not get the id that they have here. */
    record Plan(
            List<IntendedEvent> events,
            Map<UUID, Object> payloads,
            Map<UUID, Deadline> deadlines,
            boolean aborts,
            boolean batch) {}

    /** How an event is scheduled, or withdrawn by its key. */
    record Deadline(Act act, Duration delay, @Nullable String key) {}

    /** What a publisher does with a deadline. */
    enum Act {
        AFTER,
        AT,
        KEEP,
        CANCEL
    }

    /** Payload of every event. */
    record Payload(int number, Object amount, String text, List<String> tags) {}

    Plan next() {
        int count = 1 + random.nextInt(largestTransaction);
        int end = random.nextInt(100);
        boolean aborts = end < 5;
        boolean goesBack = end >= 95;
        List<IntendedEvent> events = new ArrayList<>();
        Map<UUID, Object> payloads = new HashMap<>();
        Map<UUID, Deadline> deadlines = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Payload payload = payload();
            Deadline deadline = schedules && random.nextInt(8) == 0 ? deadline() : null;
            String aggregateId = deadline == null || deadline.key() == null ? aggregateId() : hotAggregateId();
            IntendedEvent event =
                    event(aggregateId, mapper.writeValueAsString(payload), goesBack && random.nextBoolean());
            events.add(event);
            payloads.put(event.eventId(), payload);
            if (deadline != null) {
                deadlines.put(event.eventId(), deadline);
            }
        }
        events.sort(Comparator.comparing(IntendedEvent::aggregateType).thenComparing(IntendedEvent::aggregateId));
        return new Plan(events, payloads, deadlines, aborts, random.nextBoolean());
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
    Plan single(String aggregateId) {
        Payload payload = payload();
        IntendedEvent event = new IntendedEvent(
                new UUID(random.nextLong(), random.nextLong()),
                OPENED,
                "order",
                aggregateId,
                mapper.writeValueAsString(payload),
                Map.of(),
                false);
        return new Plan(List.of(event), Map.of(event.eventId(), payload), Map.of(), false, false);
    }

    private String aggregateId() {
        return random.nextInt(4) == 0 ? hotAggregateId() : "cold-" + random.nextInt(coldAggregates);
    }

    private String hotAggregateId() {
        return "hot-" + random.nextInt(HOT_AGGREGATES);
    }

    /** One payload in 400 has an amount that no handler can decode. */
    private Payload payload() {
        number++;
        Object amount = random.nextInt(400) == 0 ? "a lot" : (Object) random.nextInt(1_000_000);
        return new Payload(
                number,
                amount,
                "text \u00e9\u4e2d\uD83D\uDE00 \"" + number + "\" \\ \n",
                List.of("a", "b " + random.nextInt(9)));
    }
}
