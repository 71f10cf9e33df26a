package dev.outbox.console.internal.page;

import dev.outbox.console.internal.page.Snapshots.Snapshot;
import dev.outbox.console.internal.web.Format;
import dev.outbox.console.internal.web.Links;
import dev.outbox.operations.Count;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxOperations.Untaken;
import dev.outbox.operations.OutboxOperations.Untaken.Problem;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Call;
import dev.outbox.operations.OutboxOverview.Handler;
import dev.outbox.operations.OutboxOverview.Instance;
import dev.outbox.operations.OutboxOverview.Stream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What needs an operator besides failures: what hangs, is behind, silent, absent, paused or stopped, and what to do. */
final class Attention {

    /** A handler gives a heartbeat each minute. */
    private static final Duration ABSENT_AFTER = Duration.ofMinutes(3);

    /** The problem of an inbox that an operator has to resume names the command. */
    private static final String RESUME_INBOX = "OutboxOperations.resumeInbox";

    private final List<Item> items = new ArrayList<>();
    private final OutboxOverview overview;
    private final Slowness slowness;
    private final List<Untaken> untaken;
    private final List<Operation> pauses;
    private final Links links;

    private Attention(Snapshot snapshot, Links links) {
        this.overview = snapshot.overview();
        this.slowness = new Slowness(overview);
        this.untaken = snapshot.untaken();
        this.pauses = snapshot.pauses();
        this.links = links;
    }

    /**
     * One matter.
     *
     * @param kind what is wrong, in capitals
     * @param subject the name of the instance, stream, handler or inbox, behind the word for it
     * @param text the details
     * @param since since when; {@code null} if that is not known
     * @param until when it ends by itself; {@code null} if it does not
     * @param action the text of the link
     * @param address the address that it leads to
     */
    record Item(
            String kind,
            String subject,
            String text,
            @Nullable Instant since,
            @Nullable Instant until,
            String action,
            String address) {

        Item(String kind, String subject, String text, @Nullable Instant since, String action, String address) {
            this(kind, subject, text, since, null, action, address);
        }
    }

    /** Lists what needs attention, the most urgent first. */
    static List<Item> of(Snapshot snapshot, Links links) {
        Attention attention = new Attention(snapshot, links);
        attention.addCalls(Call.State.STUCK, "HANGS");
        attention.addUnpolled();
        attention.addStoppedInboxes();
        attention.addBacklogs();
        attention.addOverdue();
        attention.addCalls(Call.State.SLOW, "SLOW");
        attention.addAbsent();
        attention.addUntaken();
        attention.addSilent();
        attention.addOpenCircuits();
        attention.addPaused();
        return List.copyOf(attention.items);
    }

    static boolean isAbsent(Handler handler, OutboxOverview overview) {
        Instant lastSeenAt = handler.lastSeenAt();
        return handler.deliveries().open().value() > 0
                && lastSeenAt != null
                && lastSeenAt.isBefore(overview.at().minus(ABSENT_AFTER));
    }

    /** The longest call of each handler in each instance. */
    private void addCalls(Call.State state, String kind) {
        record Caller(String handlerId, String instance) {}
        slowness.running().stream()
                .filter((one) -> one.call().state() == state)
                .collect(Collectors.groupingBy(
                        (one) -> new Caller(
                                one.call().handlerId(), one.instance().name()),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .forEach((caller, calls) -> {
                    Slowness.Running longest = calls.get(0);
                    Call call = longest.call();
                    items.add(new Item(
                            kind,
                            "Handler " + caller.handlerId(),
                            "Instance " + caller.instance() + " has not finished " + call.eventType() + " of "
                                    + call.aggregateType() + " " + call.aggregateId()
                                    + (calls.size() == 1 ? "" : " and other events")
                                    + (state == Call.State.STUCK
                                            ? ". Restart the instance unless the call ends, and give the handler a timeout."
                                            : ".")
                                    + " Started",
                            longest.instance().lastSeenAt().minus(call.running()),
                            "Event",
                            links.event(call.eventId())));
                });
    }

    private void addBacklogs() {
        for (Stream stream : slowness.behind()) {
            Duration oldest = stream.backlog().oldestPending();
            Optional<Slowness.Running> front = slowness.front(stream);
            String busiest = slowness.busiest(stream)
                    .map((busy) -> busy.handlerId() + " takes "
                            + Format.runTime(busy.runTime().mean()) + " a call")
                    .orElse("no call of a handler has ended in the last minute");
            items.add(new Item(
                    "BACKLOG",
                    "Stream " + stream.name(),
                    Slowness.unpublished(stream)
                            + (Slowness.unpublished(stream).value() == 1 ? " event is" : " events are")
                            + " unpublished"
                            + (oldest.isZero() ? "" : ", and the oldest has waited " + Format.text(oldest)) + ": "
                            + busiest
                            + front.map((one) -> ", and " + one.text()).orElse("") + ".",
                    null,
                    front.isPresent() ? "Event in front" : "Handlers",
                    front.map((one) -> links.event(one.call().eventId())).orElse(links.home() + "#handlers")));
        }
    }

    private void addOverdue() {
        for (Stream stream : overview.streams()) {
            Duration overdue = stream.backlog().overdue();
            if (!stream.paused() && overdue.compareTo(Slowness.LONGEST_OVERDUE) > 0) {
                items.add(new Item(
                        "OVERDUE",
                        "Stream " + stream.name(),
                        "A scheduled event has been due for " + Format.text(overdue)
                                + ". The stream's poller fails or is too slow, or another session locks the event.",
                        null,
                        "Scheduled",
                        links.to("scheduled")));
            }
        }
    }

    private void addUnpolled() {
        for (Stream stream : overview.streams()) {
            Count waiting = stream.backlog().pending().plus(stream.backlog().retrying());
            if (waiting.value() > 0 && !slowness.isPolled(stream)) {
                items.add(new Item(
                        "NOT POLLED",
                        "Stream " + stream.name(),
                        waiting
                                + " events wait, and no running instance polls the stream. Start one, or add the stream to"
                                + " outbox.poller.streams.",
                        null,
                        "Instances",
                        links.home() + "#instances"));
            }
        }
    }

    private void addStoppedInboxes() {
        for (Instance instance : overview.instances()) {
            boolean silent = Format.isSilent(instance.lastSeenAt(), overview.at());
            for (String stopped : silent ? Set.<String>of() : instance.stoppedInboxes()) {
                String[] inbox = stopped.split(": ", 2);
                boolean decides = stopped.contains(RESUME_INBOX);
                items.add(new Item(
                        "STOPPED",
                        "Inbox " + inbox[0],
                        "Instance " + instance.name()
                                + (decides ? " has lost records" : " receives nothing from it, and tries again")
                                + (inbox.length > 1 ? ": " + inbox[1] : "."),
                        null,
                        decides ? "Resume…" : "Instances",
                        decides ? links.confirm("resume", "inbox", inbox[0]) : links.home() + "#instances"));
            }
        }
    }

    private void addAbsent() {
        for (Handler handler : overview.handlers()) {
            if (isAbsent(handler, overview)) {
                items.add(new Item(
                        "ABSENT",
                        "Handler " + handler.id(),
                        "No running instance has it, and deliveries wait: "
                                + handler.deliveries().open()
                                + ". Start one, or expire the handler if it was removed.",
                        handler.lastSeenAt(),
                        "Expire…",
                        links.confirm("expire", "handler", handler.id())));
            }
        }
    }

    /** Handlers of running instances that do not take what waits for them. */
    private void addUntaken() {
        for (Untaken one : untaken) {
            String waiting =
                    "Deliveries of " + one.eventType() + " in stream " + one.stream() + " wait: " + one.waiting();
            if (one.problem() == Problem.UNPOLLED) {
                items.add(new Item(
                        "NOT POLLED",
                        "Handler " + one.handlerId(),
                        waiting + ". No running instance with the handler polls the stream. Add it to"
                                + " outbox.poller.streams there.",
                        one.lastSeenAt(),
                        "Instances",
                        links.home() + "#instances"));
            }
            for (String type : one.problem() == Problem.NOT_SELECTED ? one.subscriptions() : Set.<String>of()) {
                items.add(new Item(
                        "NOT SELECTED",
                        "Handler " + one.handlerId(),
                        waiting + ", and later ones behind them: " + one.behind()
                                + ". No running instance takes them any more. Subscribe the handler again, or expire its"
                                + " subscription to " + type + ".",
                        one.lastSeenAt(),
                        "Expire…",
                        links.to(
                                "confirm",
                                Map.of(
                                        "action",
                                        "expire",
                                        "subject",
                                        "subscription",
                                        "name",
                                        one.handlerId(),
                                        "eventType",
                                        type))));
            }
        }
    }

    private void addSilent() {
        for (Instance instance : overview.instances()) {
            if (Format.isSilent(instance.lastSeenAt(), overview.at())) {
                items.add(new Item(
                        "NO SIGN OF LIFE",
                        "Instance " + instance.name(),
                        "It has probably crashed. Others take over its events when its leases end.",
                        instance.lastSeenAt(),
                        "Instances",
                        links.home() + "#instances"));
            }
        }
    }

    private void addOpenCircuits() {
        for (Handler handler : overview.handlers()) {
            if (!handler.circuitOpenIn().isEmpty()) {
                items.add(new Item(
                        "CIRCUIT OPEN",
                        "Handler " + handler.id(),
                        "It fails again and again in " + String.join(", ", handler.circuitOpenIn())
                                + ", which probes it from time to time.",
                        null,
                        "Failures",
                        links.to("failures", "handler", handler.id())));
            }
        }
    }

    private void addPaused() {
        overview.streams().stream()
                .filter(Stream::paused)
                .forEach((stream) -> addPaused(
                        "stream",
                        stream.name(),
                        stream.pausedUntil(),
                        (subject) ->
                                subject.handlerId() == null && stream.name().equals(subject.stream())));
        overview.handlers().stream()
                .filter(Handler::paused)
                .forEach((handler) -> addPaused(
                        "handler",
                        handler.id(),
                        handler.pausedUntil(),
                        (subject) -> handler.id().equals(subject.handlerId())));
    }

    private void addPaused(String what, String name, @Nullable Instant until, Predicate<Operation.Subject> isSubject) {
        Operation pause = pauses.stream()
                .filter((one) -> isSubject.test(one.subject()))
                .findFirst()
                .orElse(null);
        items.add(new Item(
                "PAUSED",
                (what.equals("stream") ? "Stream " : "Handler ") + name,
                pause == null ? "" : "By " + pause.performedBy() + ": " + pause.reason(),
                pause == null ? null : pause.performedAt(),
                until,
                "Resume",
                links.confirm("resume", what, name)));
    }
}
