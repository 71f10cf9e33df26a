package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.when;

import dev.outbox.operations.Count;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Untaken;
import dev.outbox.operations.OutboxOperations.Untaken.Problem;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Backlog;
import dev.outbox.operations.OutboxOverview.Call;
import dev.outbox.operations.OutboxOverview.Deliveries;
import dev.outbox.operations.OutboxOverview.Handler;
import dev.outbox.operations.OutboxOverview.Instance;
import dev.outbox.operations.OutboxOverview.RunTime;
import dev.outbox.operations.OutboxOverview.Stream;
import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the overview says needs attention, and which streams and handlers it folds. */
class AttentionTest {

    private static final Instant NOW = Instant.now();
    private static final Instant HOUR_AGO = NOW.minusSeconds(3600);

    private final TestConsole console = TestConsole.insecure();
    private final OutboxInspector inspector = console.inspector;
    private final OutboxOperations operations = console.operations;
    private final List<Stream> streams = new ArrayList<>();
    private final List<Handler> handlers = new ArrayList<>();
    private final List<Instance> instances = new ArrayList<>(
            List.of(new Instance("shop-1", "shop", HOUR_AGO, NOW, Set.of("default"), Set.of(), Set.of(), List.of())));

    private @Nullable Instant pausedUntil;

    @Test
    void nothingNeedsAttention() throws Exception {
        stream("default", 5, false);
        handler("mail", 1, NOW, Set.of(), false);

        assertThat(page("/outbox"))
                .contains(">shop-1</bdi> <span class=\"dim\">shop</span>")
                .doesNotContain("Needs attention");
    }

    @Test
    void streamThatNoLiveInstancePollsNeedsAttention() throws Exception {
        instances.add(new Instance(
                "mail-1", null, HOUR_AGO, NOW.minusSeconds(31), Set.of("mail"), Set.of(), Set.of(), List.of()));
        stream("default", 5, false);
        stream("mail", 1234, false);
        stream("idle", 0, false);

        assertThat(attention("NOT POLLED")).containsExactly("NOT POLLED Stream mail");
        assertThat(page("/outbox")).contains("1,234 events wait, and no running instance polls the stream.");
        assertThat(attention("NO SIGN OF LIFE")).containsExactly("NO SIGN OF LIFE Instance mail-1");
    }

    @Test
    void absentHandlerLeadsToItsExpiry() throws Exception {
        handler("gone", 3, HOUR_AGO, Set.of(), false);
        handler("gone.without.work", 0, HOUR_AGO, Set.of(), false);
        handler("present", 3, NOW, Set.of(), false);

        assertThat(attention("ABSENT")).containsExactly("ABSENT Handler gone");
        assertThat(page("/outbox")).contains("/outbox/confirm?action=expire&amp;subject=handler&amp;name=gone");
    }

    @Test
    void eventsThatTheHandlerTakesNoMoreLeadToTheExpiryOfTheSubscription() throws Exception {
        when(operations.untaken()).thenReturn(List.of(untaken(Problem.NOT_SELECTED, "*")));

        assertThat(attention("NOT SELECTED")).containsExactly("NOT SELECTED Handler billing");
        assertThat(page("/outbox"))
                .contains("Deliveries of OrderPaid in stream bulk wait: 3, and later ones behind them: 2. No running")
                .contains("/outbox/confirm?action=expire&amp;eventType=%2A&amp;name=billing&amp;subject=subscription");
    }

    @Test
    void streamThatNoInstanceWithTheHandlerPollsNeedsAttention() throws Exception {
        when(operations.untaken()).thenReturn(List.of(untaken(Problem.UNPOLLED, "OrderPaid")));

        assertThat(attention("NOT POLLED")).containsExactly("NOT POLLED Handler billing");
        assertThat(page("/outbox"))
                .contains("Deliveries of OrderPaid in stream bulk wait: 3. No running instance with the handler polls");
    }

    private static Untaken untaken(Problem problem, String subscription) {
        return new Untaken(
                "billing",
                problem,
                "OrderPaid",
                "bulk",
                new Count(3, true),
                new Count(2, true),
                HOUR_AGO,
                Set.of(subscription));
    }

    @Test
    void openCircuitNamesItsInstances() throws Exception {
        handler("mail", 3, NOW, Set.of("shop-1", "shop-2"), false);

        assertThat(attention("CIRCUIT OPEN")).containsExactly("CIRCUIT OPEN Handler mail");
        assertThat(page("/outbox")).contains("It fails again and again in ", "href=\"/outbox/failures?handler=mail\"");
    }

    @Test
    void pauseSaysWhoPausedWhyAndSinceWhen() throws Exception {
        stream("default", 0, true);
        handler("mail", 3, NOW, Set.of(), true);
        when(inspector.pauses())
                .thenReturn(List.of(
                        pause("PAUSE_STREAM", "default", null, "ann", "maintenance"),
                        pause("PAUSE_HANDLER", null, "mail", "bob", "the gateway moves")));

        assertThat(attention("PAUSED")).containsExactly("PAUSED Stream default", "PAUSED Handler mail");
        assertThat(page("/outbox"))
                .contains(
                        "By ann: maintenance",
                        "By bob: the gateway moves",
                        HOUR_AGO.toString().substring(0, 19))
                .contains("action=resume&amp;subject=stream&amp;name=default");
    }

    @Test
    void pauseSaysWhenItEndsByItself() throws Exception {
        Instant end = NOW.plus(Duration.ofMinutes(30));
        pausedUntil = end;
        stream("default", 0, true);
        pausedUntil = null;
        handler("mail", 3, NOW, Set.of(), true);

        assertThat(page("/outbox"))
                .containsOnlyOnce(", ends ")
                .containsPattern(">Stream default<(?s:.*?), ends <time [^>]*datetime=\""
                        + end.toString().substring(0, 19));
    }

    @Test
    void stoppedInboxNamesItsInstanceAndProblem() throws Exception {
        stopped("receiver-1", NOW);
        stopped("crashed", NOW.minusSeconds(31));

        assertThat(attention("STOPPED")).containsExactly("STOPPED Inbox orders");
        assertThat(page("/outbox"))
                .contains("Instance receiver-1 receives nothing from it, and tries again: error: credentials refused")
                .containsSubsequence("id=\"attention\"", "class=\"charts\"")
                .doesNotContain("Instance crashed receives");
    }

    @Test
    void inboxThatLostRecordsLeadsToItsResumption() throws Exception {
        stopped("receiver-1", NOW, "orders: shop-0 is stored up to offset 7; OutboxOperations.resumeInbox decides");

        assertThat(attention("STOPPED")).containsExactly("STOPPED Inbox orders");
        assertThat(page("/outbox"))
                .contains("Instance receiver-1 has lost records: shop-0 is stored up to offset 7")
                .contains("/outbox/confirm?action=resume&amp;subject=inbox&amp;name=orders");
    }

    @Test
    void handlerThatHangsLeadsToItsEvent() throws Exception {
        handler("push", 0, NOW, Set.of(), false);
        calls(
                PageFixture.call("push", Duration.ofSeconds(63), Call.State.STUCK),
                PageFixture.call("push", Duration.ofSeconds(61), Call.State.STUCK),
                PageFixture.call("audit", Duration.ofSeconds(12), Call.State.SLOW),
                PageFixture.call("mail", Duration.ofSeconds(4), Call.State.RUNNING));

        assertThat(attention("")).containsExactly("HANGS Handler push", "SLOW Handler audit");
        assertThat(page("/outbox"))
                .contains("Instance shop-1 has not finished OrderPlaced of Order &lt;script&gt;")
                .contains(" and other events. Restart the instance unless the call ends")
                .contains("href=\"/outbox/events/" + PageFixture.EVENT + "\"")
                .contains(NOW.minusSeconds(63).toString().substring(0, 19))
                .contains(">No handler fails, but push hangs. 2 need attention besides failures.<")
                .containsSubsequence(">push</bdi>", ">HANGS</span>", ">now 1 min 3 s</span>");
    }

    @Test
    void streamThatIsBehindNamesTheSlowHandlerAndWhoRunsIt() throws Exception {
        stream("default", 3603, false, Duration.ofSeconds(236), Duration.ZERO);
        handlers.add(new Handler(
                "fulfilment.stock",
                Set.of("OrderPlaced"),
                false,
                null,
                NOW,
                new Deliveries(Count.NONE, Count.NONE, Duration.ZERO),
                Set.of(),
                List.of(new RunTime("default", 14, Duration.ofSeconds(56)))));
        calls(PageFixture.call("fulfilment.stock", Duration.ofSeconds(3), Call.State.RUNNING));

        assertThat(attention("")).containsExactly("BACKLOG Stream default");
        assertThat(page("/outbox"))
                .contains(
                        "3,603 events are unpublished, and the oldest has waited 3 min 56 s: fulfilment.stock takes 4.0 s"
                                + " a call, and shop-1 has handled fulfilment.stock for 3 s.")
                .contains(
                        ">No handler fails, but stream default is behind: fulfilment.stock takes 4 s a call. 1 needs attention"
                                + " besides failures.<")
                .contains(">4.0 s × 14</span>", ">now 3 s</span>");
    }

    @Test
    void slowHandlerIsNotQuiet() throws Exception {
        IntStream.range(0, 6).forEach((i) -> handler("quiet" + i, 0, NOW, Set.of(), false));
        handlers.add(new Handler(
                "slow",
                Set.of("OrderPlaced"),
                false,
                null,
                NOW,
                new Deliveries(Count.NONE, Count.NONE, Duration.ZERO),
                Set.of(),
                List.of(new RunTime("default", 14, Duration.ofSeconds(56)))));

        assertThat(page("/outbox")).containsSubsequence(">slow<", "6 quiet handlers", ">quiet0<");
    }

    @Test
    void streamWithinTheLimitsOfTheAlertsIsNotBehind() throws Exception {
        stream("default", Slowness.MOST_UNPUBLISHED, false, Slowness.OLDEST_PENDING, Slowness.LONGEST_OVERDUE);

        assertThat(attention("")).isEmpty();
    }

    @Test
    void backlogIsThatOfAllStreams() throws Exception {
        stream("default", Slowness.MOST_UNPUBLISHED - 1, false);
        stream("other", 2, false);
        instances.add(new Instance("other-1", null, HOUR_AGO, NOW, Set.of("other"), Set.of(), Set.of(), List.of()));

        assertThat(attention("")).containsExactly("BACKLOG Stream default");
    }

    @Test
    void oldAndOverdueEventsNeedAttention() throws Exception {
        stream("default", 1, false, Slowness.OLDEST_PENDING.plusMillis(1), Slowness.LONGEST_OVERDUE.plusMillis(1));

        assertThat(attention("")).containsExactly("BACKLOG Stream default", "OVERDUE Stream default");
        assertThat(page("/outbox"))
                .contains("1 event is unpublished, and the oldest has waited 1 min: no call of a handler has ended")
                .contains("href=\"/outbox/scheduled\"");
    }

    @Test
    void pausedStreamIsNotBehind() throws Exception {
        stream("default", 2000, true, Duration.ofHours(1), Duration.ofHours(1));

        assertThat(attention("")).containsExactly("PAUSED Stream default");
    }

    @Test
    void limitsAreThoseOfTheAlerts() throws IOException {
        String rules = Files.readString(SourceTree.ROOT.resolve("docs/monitoring/prometheus-rules.yml"));

        assertThat(limit(rules, "OutboxBacklog")).isEqualTo(Slowness.MOST_UNPUBLISHED);
        assertThat(limit(rules, "OutboxOldestPending")).isEqualTo(Slowness.OLDEST_PENDING.toSeconds());
        assertThat(limit(rules, "OutboxScheduledOverdue")).isEqualTo(Slowness.LONGEST_OVERDUE.toSeconds());
    }

    private static long limit(String rules, String alert) {
        Matcher rule = Pattern.compile("alert: " + alert + "\\n.*?> ([1-9]\\d*)", Pattern.DOTALL)
                .matcher(rules);
        assertThat(rule.find()).isTrue();
        return Long.parseLong(rule.group(1));
    }

    private void calls(Call... calls) {
        instances.set(
                0,
                new Instance("shop-1", "shop", HOUR_AGO, NOW, Set.of("default"), Set.of(), Set.of(), List.of(calls)));
    }

    @Test
    void quietHandlersAreFoldedUnlessTheFilterAsks() throws Exception {
        handler("busy", 3, NOW, Set.of(), false);
        IntStream.range(0, 6).forEach((i) -> handler("quiet" + i, 0, NOW, Set.of(), false));

        assertThat(page("/outbox")).containsSubsequence(">busy<", "6 quiet handlers", ">quiet0<");
        assertThat(page("/outbox/overview/live?filter=QUIET3"))
                .contains(">quiet3<")
                .doesNotContain(">quiet2<", ">busy<", "quiet handlers");
    }

    @Test
    void idleStreamsAreFoldedUnlessTheFilterAsks() throws Exception {
        stream("orders", 3, false);
        stream("paused", 0, true);
        IntStream.range(0, 6).forEach((i) -> stream("idle" + i, 0, false));

        assertThat(page("/outbox")).containsSubsequence(">orders<", ">paused<", "6 idle streams", ">idle0<", ">idle5<");
        assertThat(page("/outbox/overview/live?filter=IDLE3"))
                .contains(">idle3<")
                .doesNotContain(">idle2<", ">orders<", "idle streams");
    }

    private List<String> attention(String kind) throws Exception {
        return Pattern.compile(">([A-Z ]+)</span> <b><bdi>([^<]+)</bdi>")
                .matcher(page("/outbox"))
                .results()
                .map((found) -> found.group(1) + " " + found.group(2))
                .filter((item) -> item.startsWith(kind))
                .toList();
    }

    private void stream(String name, long pending, boolean paused) {
        stream(name, pending, paused, Duration.ZERO, Duration.ZERO);
    }

    private void stream(String name, long pending, boolean paused, Duration oldestPending, Duration overdue) {
        streams.add(new Stream(
                name,
                paused,
                pausedUntil,
                new Backlog(
                        new Count(pending, true),
                        Count.NONE,
                        Count.NONE,
                        Count.NONE,
                        Count.NONE,
                        oldestPending,
                        Duration.ZERO,
                        Count.NONE,
                        overdue),
                0,
                List.of()));
    }

    private void handler(String id, long open, Instant seenAt, Set<String> openIn, boolean paused) {
        handlers.add(new Handler(
                id,
                Set.of("OrderPlaced"),
                paused,
                pausedUntil,
                seenAt,
                new Deliveries(new Count(open, true), Count.NONE, Duration.ZERO),
                openIn,
                List.of()));
    }

    private void stopped(String instance, Instant seenAt) {
        stopped(instance, seenAt, "orders: error: credentials refused");
    }

    private void stopped(String instance, Instant seenAt, String inbox) {
        instances.add(new Instance(instance, null, HOUR_AGO, seenAt, Set.of(), Set.of(), Set.of(inbox), List.of()));
    }

    private static Operation pause(
            String action, @Nullable String stream, @Nullable String handlerId, String by, String reason) {
        return new Operation(
                1, HOUR_AGO, by, action, reason, new Operation.Subject(stream, handlerId, null, null, null), null);
    }

    private String page(String address) throws Exception {
        when(inspector.overview()).thenReturn(new OutboxOverview(NOW, streams, handlers, instances, List.of()));
        return console.page(address);
    }
}
