package dev.outbox.spring.internal;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliverySelection.Place;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.Erasure.Undelivered;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.operations.ReplayRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * Named values of a request to the endpoint or the console, and the selections that they make. Each is taken once, so that a misspelled
 * filter is refused instead of widening a selection.
 */
public final class RequestFilters {

    private final Map<String, String> values = new TreeMap<>();

    /** Creates a filter; a value that is {@code null} is not given. */
    public RequestFilters(Map<String, ? extends @Nullable String> values) {
        values.forEach((name, value) -> {
            if (value != null) {
                this.values.put(name, value);
            }
        });
    }

    /** Takes the query string {@code selection}, as in {@code handler=mail&status=DEAD}, which must be the last value. */
    public RequestFilters selection(String use) {
        String query = text("selection");
        end(use);
        if (query == null) {
            throw new InvalidOperationException(
                    "'selection' is missing: a query string of filters, such as handler=mail&status=DEAD");
        }
        Map<String, String> filters = new TreeMap<>();
        for (String part : query.split("&", -1)) {
            int equals = part.indexOf('=');
            if (equals < 1) {
                throw new InvalidOperationException(
                        "'selection' must be a query string such as handler=mail&status=DEAD, not '" + query + "'");
            }
            String name = decode(part.substring(0, equals));
            if (filters.put(name, decode(part.substring(equals + 1))) != null) {
                throw new InvalidOperationException("'selection' has more than one '" + name + "'");
            }
        }
        return new RequestFilters(filters);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException ex) {
            throw new InvalidOperationException("'selection' has an invalid % escape: '" + text + "'");
        }
    }

    /** Returns the deliveries that the values select. */
    public DeliverySelection deliveries(String use) {
        DeliverySelection all = DeliverySelection.all();
        Set<DeliveryStatus> statuses =
                parsed("status", RequestFilters::statuses, "OPEN, DEAD or both, separated by a comma");
        UUID event = uuid("event");
        DeliverySelection selection = new DeliverySelection(
                text("handler"),
                text("aggregateType"),
                text("aggregateId"),
                event == null ? Set.of() : Set.of(event),
                text("stream"),
                text("eventType"),
                text("errorCode"),
                null,
                statuses == null ? all.statuses() : statuses,
                new DeliverySelection.Range(time("since"), time("until"), null));
        end(use);
        return selection;
    }

    private static Set<DeliveryStatus> statuses(String list) {
        return Arrays.stream(list.split(",", -1))
                .map((name) -> DeliveryStatus.valueOf(name.strip().toUpperCase(Locale.ROOT)))
                .collect(Collectors.toSet());
    }

    /** Returns the events that the values select. */
    public EventSelection events(String use) {
        EventDetails.Status status = parsed(
                "status",
                (name) -> EventDetails.Status.valueOf(name.strip().toUpperCase(Locale.ROOT)),
                "PENDING, RETRYING, DEAD or PUBLISHED");
        EventSelection selection = new EventSelection(
                text("aggregateType"), text("aggregateId"), text("eventType"), text("trace"), status, number("after"));
        end(use);
        return selection;
    }

    /** Returns the operations that the values select. */
    public OperationSelection operations(String use) {
        OperationSelection selection = new OperationSelection(
                uuid("event"), text("handler"), text("actor"), time("since"), time("until"), number("after"), null);
        end(use);
        return selection;
    }

    /** Returns the replay of the events that the values select. */
    public ReplayRequest replay(String use) {
        ReplayRequest all = ReplayRequest.of(required("handler"));
        String eventTypes = text("eventType");
        ReplayRequest request = new ReplayRequest(
                all.handlerId(),
                time("since"),
                time("until"),
                eventTypes == null
                        ? all.eventTypes()
                        : Set.copyOf(List.of(eventTypes.strip().split("[\\s,]+", -1))),
                text("aggregateType"),
                text("aggregateId"),
                uuid("event"),
                all.rate());
        end(use);
        return request;
    }

    /** Returns the erasure of the events that the values select. */
    public Erasure erasure(String use) {
        UUID event = uuid("event");
        Undelivered undelivered = parsed(
                "undelivered",
                (name) -> Undelivered.valueOf(name.strip().toUpperCase(Locale.ROOT)),
                "REFUSE, KEEP or WITHDRAW");
        Erasure erasure = new Erasure(
                text("aggregateType"),
                text("aggregateId"),
                event == null ? Set.of() : Set.of(event),
                undelivered == null ? Undelivered.REFUSE : undelivered);
        end(use);
        return erasure;
    }

    /** Takes where an inbox continues, which must be there. */
    public InboxStart inboxStart() {
        return parsed(
                "at",
                required("at"),
                (name) -> InboxStart.valueOf(name.strip().toUpperCase(Locale.ROOT)),
                "EARLIEST or LATEST");
    }

    /** Takes a text as it was sent. */
    public @Nullable String text(String name) {
        return values.remove(name);
    }

    /** Takes a text that must be there. */
    public String required(String name) {
        String value = text(name);
        if (value == null) {
            throw new InvalidOperationException("'" + name + "' is missing");
        }
        return value;
    }

    /** Takes an event id. */
    public @Nullable UUID uuid(String name) {
        String value = text(name);
        return value == null ? null : uuid(name, value);
    }

    /** Reads an event id. */
    public static UUID uuid(String name, String value) {
        return parsed(name, value, UUID::fromString, "a UUID");
    }

    /** Takes a time: in ISO format, and in UTC unless it names a zone. */
    public @Nullable Instant time(String name) {
        return parsed(name, RequestFilters::instant, "a time such as 2026-01-31T12:00:00Z");
    }

    private static Instant instant(String text) {
        TemporalAccessor time =
                DateTimeFormatter.ISO_DATE_TIME.parseBest(text, OffsetDateTime::from, LocalDateTime::from);
        return time instanceof LocalDateTime local ? local.toInstant(ZoneOffset.UTC) : Instant.from(time);
    }

    /** Takes a duration that a person writes: {@code 30m}, or in ISO format. */
    public @Nullable Duration duration(String name) {
        return parsed(name, DurationStyle::detectAndParse, "a duration such as 30m or 4h");
    }

    /** Takes the place after which a page begins: the {@link #next} of the page before it. */
    public @Nullable Place after() {
        return parsed("after", RequestFilters::place, "the 'next' of another page");
    }

    private static Place place(String next) {
        int colon = next.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException(next);
        }
        return new Place(Long.parseLong(next.substring(0, colon)), next.substring(colon + 1));
    }

    /** Returns a place as {@link #after} takes it. */
    public static String next(Place last) {
        return last.id() + ":" + last.handlerId();
    }

    /** Takes a number. */
    public @Nullable Long number(String name) {
        return parsed(name, Long::valueOf, "a number");
    }

    private <T> @Nullable T parsed(String name, Function<String, T> parser, String expected) {
        String value = text(name);
        return value == null ? null : parsed(name, value, parser, expected);
    }

    private static <T> T parsed(String name, String value, Function<String, T> parser, String expected) {
        try {
            return parser.apply(value);
        } catch (IllegalArgumentException | DateTimeException ex) {
            throw new InvalidOperationException("'" + name + "' must be " + expected + ", not '" + value + "'");
        }
    }

    /** Refuses the values that are left. */
    public void end(String use) {
        if (!values.isEmpty()) {
            throw new InvalidOperationException(use + " has no filter "
                    + values.keySet().stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", ")));
        }
    }
}
