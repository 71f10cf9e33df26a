package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.EventDetails.Status;
import dev.outbox.operations.EventPage;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.OutboxOperations.Erasable;
import dev.outbox.operations.OutboxOperations.Erased;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.operations.OutboxOverview.Call;
import jakarta.servlet.http.Cookie;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** What forms find, change and keep. */
class FormsTest {

    private static final EventPage NOTHING = new EventPage(List.of(), null);

    private final TestConsole console = TestConsole.insecure();
    private final OutboxInspector inspector = console.inspector;
    private final OutboxOperations operations = console.operations;

    @BeforeEach
    void fill() {
        when(inspector.overview()).thenReturn(PageFixture.overview());
        when(inspector.findEvents(any(), anyInt())).thenReturn(NOTHING);
    }

    @Test
    void oneSearchFindsAnEvent() throws Exception {
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.details()));

        assertThat(found(PageFixture.EVENT.toString())).isEqualTo("/outbox/events/" + PageFixture.EVENT);
    }

    @Test
    void oneSearchFindsAnAggregateWithoutItsType() throws Exception {
        when(inspector.aggregateTypes("42")).thenReturn(List.of("Order"));
        when(inspector.aggregateTypes("43")).thenReturn(List.of("Invoice", "Order"));

        assertThat(found("42")).isEqualTo("/outbox/search?aggregateType=Order&aggregateId=42");
        assertThat(console.page("/outbox/search?q=43"))
                .contains("/outbox/search?aggregateType=Invoice&amp;aggregateId=43")
                .contains("/outbox/search?aggregateType=Order&amp;aggregateId=43");
    }

    @ParameterizedTest
    @ValueSource(strings = {"eventType OrderPlaced", "aggregateType Order", "trace 4bf92f3577b34da6a3ce929d0e0e4736"})
    void oneSearchFindsTypesAndTraces(String named) throws Exception {
        String criterion = named.split(" ")[0];
        String text = named.split(" ")[1];
        when(inspector.findEvents(
                        new EventSelection(
                                criterion.equals("aggregateType") ? text : null,
                                null,
                                criterion.equals("eventType") ? text : null,
                                criterion.equals("trace") ? text : null,
                                null,
                                null),
                        1))
                .thenReturn(PageFixture.found());

        assertThat(found(text)).isEqualTo("/outbox/search?" + criterion + "=" + text);
        if (criterion.equals("trace")) {
            assertThat(found(text.toUpperCase(Locale.ROOT))).isEqualTo("/outbox/search?trace=" + text);
            assertThat(console.page("/outbox/search?trace=" + text.toUpperCase(Locale.ROOT)))
                    .contains("name=\"trace\" value=\"" + text + "\"");
        }
    }

    @Test
    void statusNarrowsTheSearchAndStaysChosen() throws Exception {
        when(inspector.findEvents(new EventSelection("Order", null, null, null, Status.DEAD, null), 50))
                .thenReturn(PageFixture.found());

        assertThat(console.page("/outbox/search?aggregateType=Order&status=DEAD"))
                .contains("<option value=\"DEAD\" selected=\"selected\">dead</option>", ">OrderPlaced</a>")
                .contains("/outbox/search?after=17&amp;aggregateType=Order&amp;status=DEAD");
    }

    @ParameterizedTest
    @CsvSource({"ord-10001, ORD-10001", "A1B2, a1b2"})
    void oneSearchFindsIdsInAnyCase(String typed, String id) throws Exception {
        when(inspector.aggregateTypes(id)).thenReturn(List.of("Order"));
        assertThat(found(typed)).isEqualTo("/outbox/search?aggregateType=Order&aggregateId=" + id);

        when(inspector.aggregateTypes(id)).thenReturn(List.of("Invoice", "Order"));
        assertThat(console.page("/outbox/search?q=" + typed))
                .contains("/outbox/search?aggregateType=Invoice&amp;aggregateId=" + id);
    }

    @Test
    void oneSearchKeepsItsTextAndOffersOlderEvents() throws Exception {
        when(inspector.findEvents(any(), anyInt())).thenReturn(new EventPage(List.of(), 17L));

        assertThat(console.page("/outbox/search?q=nothing"))
                .contains("name=\"q\" value=\"nothing\"", "/outbox/search?eventType=nothing")
                .doesNotContain("trace=nothing");
    }

    @ParameterizedTest
    @CsvSource({
        "/outbox/replays/preview?handler=mail&reason=kept&aggregateId=42, an aggregate id needs its aggregate type",
        "/outbox/operations?actor=kept&since=x, &#39;since&#39;",
        "/outbox/search?aggregateType=kept&after=x, &#39;after&#39;"
    })
    void refusedFormKeepsItsInput(String address, String problem) throws Exception {
        assertThat(console.page(address, 400)).contains("role=\"alert\"", problem, "value=\"kept\"");
    }

    @Test
    void refusedChangeKeepsItsReason() throws Exception {
        when(operations.expireHandler(anyString(), anyString(), anyString()))
                .thenThrow(new InvalidOperationException("instance shop-1 has handler 'mail'"));

        MockHttpServletResponse response = send(post("/outbox/expire"));

        assertThat(response.getStatus()).isEqualTo(400);
        assertThat(response.getContentAsString())
                .contains("instance shop-1 has handler", "value=\"kept\"", "action=\"/outbox/expire\"");
    }

    @Test
    void skipOfABusyDeliveryKeepsItsReasonInThePageOfTheEvent() throws Exception {
        when(operations.skip(any(), anyString(), anyString())).thenReturn(new Changed(0, 1));
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.details()));

        MockHttpServletResponse response =
                send(post("/outbox/deliveries/skip").param("event", PageFixture.EVENT.toString()));

        assertThat(response.getStatus()).isEqualTo(400);
        assertThat(response.getContentAsString())
                .containsSubsequence(
                        "role=\"alert\">1 busy: a worker attempts it",
                        "the cause is corrected",
                        "<details open=\"open\">",
                        "1 busy: a worker attempts it",
                        "value=\"kept\"",
                        ">Skip</button>",
                        "Timeline");
    }

    @Test
    void refusedRetryKeepsItsReasonInThePageOfTheLane() throws Exception {
        when(operations.retry(any(), anyString(), anyString()))
                .thenThrow(new InvalidOperationException("the database needed longer than 5 s"));
        when(inspector.lanes("Order", "42"))
                .thenReturn(List.of(PageFixture.lane(LaneReport.Cause.DEAD_LETTERS_ONLY, null)));

        MockHttpServletResponse response =
                send(post("/outbox/deliveries/retry").param("type", "Order").param("id", "42"));

        assertThat(response.getStatus()).isEqualTo(400);
        assertThat(response.getContentAsString())
                .containsSubsequence(
                        "role=\"alert\">the database needed",
                        "the database needed",
                        "value=\"kept\"",
                        "Retry the dead");
    }

    @Test
    void refusedSkipOfAHeadOpensNoFormOfTheNextHead() throws Exception {
        when(operations.skip(any(), anyString(), anyString())).thenReturn(new Changed(0, 1));
        when(inspector.lanes("Order", "42"))
                .thenReturn(List.of(
                        PageFixture.lane(LaneReport.Cause.BACKING_OFF, PageFixture.delivery(9, DeliveryStatus.OPEN))));

        MockHttpServletResponse response = send(post("/outbox/deliveries/skip")
                .param("event", "6d1f0c4e-8d53-4f0e-9d58-5c6c7a1f0099")
                .param("type", "Order")
                .param("id", "42"));

        assertThat(response.getStatus()).isEqualTo(400);
        assertThat(response.getContentAsString())
                .contains("role=\"alert\">1 busy: a worker attempts it")
                .doesNotContain("<details open", "value=\"kept\"");
    }

    @Test
    void refusedBulkKeepsItsInputInThePageOfTheGroup() throws Exception {
        when(operations.find(any(), anyInt())).thenReturn(List.of(PageFixture.delivery(9, DeliveryStatus.DEAD)));

        MockHttpServletResponse response =
                send(post("/outbox/failures/bulk").param("action", "skip").param("rate", "0"));

        assertThat(response.getStatus()).isEqualTo(400);
        assertThat(response.getContentAsString())
                .containsSubsequence("<details open", "must be from 1 to 100000", "value=\"kept\"", "value=\"0\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&status=OPEN"})
    void selectedDeliveriesOfAGroupAreRetriedAsOne(String status) throws Exception {
        UUID other = UUID.fromString("6d1f0c4e-8d53-4f0e-9d58-5c6c7a1f0002");
        DeliveryStatus selected = status.isEmpty() ? DeliveryStatus.DEAD : DeliveryStatus.OPEN;
        String page = "/outbox/failures/group?after=8%3Amail&errorCode=IOException&handler=mail" + status;
        when(operations.find(any(), anyInt())).thenReturn(List.of(PageFixture.delivery(9, selected)));
        when(operations.retry(any(), anyString(), anyString())).thenReturn(new Changed(1, 0));
        assertThat(console.page(page))
                .containsSubsequence(
                        "form=\"selected\"",
                        "value=\"" + PageFixture.EVENT + "\"",
                        "aria-label=\"OrderPlaced of Order &lt;script&gt;",
                        ", sequence 7\"",
                        "name=\"after\" value=\"8:mail\"",
                        "formaction=\"/outbox/deliveries/skip\"");

        MockHttpServletResponse retried = send(ofGroup("retry", PageFixture.EVENT, other)
                .param("status", status.isEmpty() ? "" : "OPEN")
                .param("after", "8:mail"));

        verify(operations)
                .retry(
                        DeliverySelection.all()
                                .ofHandler("mail")
                                .withErrorCode("IOException")
                                .withStatus(selected)
                                .ofEvents(List.of(PageFixture.EVENT, other)),
                        "ann",
                        "kept");
        assertThat(retried.getHeader("Location")).isEqualTo(page);
        assertThat(console.send(get(URI.create(page)).cookie(retried.getCookie("outbox-outcome")))
                        .getContentAsString())
                .contains("1 delivery retried. 1 not changed: another operator or a worker was faster.");
    }

    @Test
    void skipOfBusyDeliveriesKeepsTheirSelection() throws Exception {
        when(operations.find(any(), anyInt())).thenReturn(List.of(PageFixture.delivery(9, DeliveryStatus.DEAD)));
        when(operations.skip(any(), anyString(), anyString())).thenReturn(new Changed(0, 1));

        MockHttpServletResponse response = send(ofGroup("skip", PageFixture.EVENT));

        assertThat(response.getStatus()).isEqualTo(400);
        assertThat(response.getContentAsString())
                .containsSubsequence(
                        "name=\"rate\" value=\"100\"",
                        "value=\"" + PageFixture.EVENT + "\"",
                        "checked=\"checked\"",
                        "id=\"selected\"",
                        "1 busy: a worker attempts it",
                        "value=\"kept\"");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 51})
    void selectionHasAtMostThePageOfAGroup(int count) throws Exception {
        UUID[] events = Stream.generate(UUID::randomUUID).limit(count).toArray(UUID[]::new);

        MockHttpServletResponse response = send(ofGroup("skip", events));

        assertThat(response.getStatus()).isEqualTo(400);
        assertThat(response.getContentAsString()).contains("Select from 1 to 50 deliveries.");
        verify(operations, never()).skip(any(), any(), any());
    }

    private static MockHttpServletRequestBuilder ofGroup(String action, UUID... events) {
        return post("/outbox/deliveries/" + action)
                .param("from", "group")
                .param("errorCode", "IOException")
                .param("event", Stream.of(events).map(UUID::toString).toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"handler, 30m", "stream, 1d"})
    void pauseEndsWhenTheOperatorChooses(String subject, String duration) throws Exception {
        when(operations.pauseHandler(anyString(), any(Duration.class), anyString(), anyString()))
                .thenReturn(true);
        when(operations.pauseStream(anyString(), any(Duration.class), anyString(), anyString()))
                .thenReturn(true);
        assertThat(console.page("/outbox/confirm?action=pause&subject=" + subject + "&name=mail"))
                .contains("name=\"duration\"", "<option value=\"" + duration + "\">");
        assertThat(console.page("/outbox/confirm?action=resume&subject=" + subject + "&name=mail"))
                .contains("/outbox/confirm?action=pause&amp;subject=" + subject + "&amp;name=mail")
                .doesNotContain("name=\"duration\"");

        MockHttpServletResponse paused =
                send(post("/outbox/pause").param("subject", subject).param("duration", duration));

        assertThat(paused.getStatus()).isEqualTo(303);
        if (subject.equals("handler")) {
            verify(operations).pauseHandler("mail", Duration.ofMinutes(30), "ann", "kept");
        } else {
            verify(operations).pauseStream("mail", Duration.ofDays(1), "ann", "kept");
        }
    }

    @Test
    void refusedPauseKeepsWhatWasChosen() throws Exception {
        when(operations.pauseHandler(anyString(), any(Duration.class), anyString(), anyString()))
                .thenThrow(new InvalidOperationException("no instance has registered a handler 'mail'"));

        MockHttpServletResponse unknown = send(post("/outbox/pause").param("duration", "4h"));
        MockHttpServletResponse misspelled = send(post("/outbox/pause").param("duration", "soon"));

        assertThat(unknown.getStatus()).isEqualTo(400);
        assertThat(unknown.getContentAsString())
                .contains(
                        "no instance has registered", "<option value=\"4h\" selected=\"selected\">", "value=\"kept\"");
        assertThat(misspelled.getStatus()).isEqualTo(400);
        assertThat(misspelled.getContentAsString()).contains("must be a duration such as 30m");
        verify(operations, never()).pauseHandler(any(), any(), any());
    }

    @Test
    void handlerIsExpired() throws Exception {
        when(operations.expireHandler("mail", "ann", "kept")).thenReturn(true);

        when(operations.count(DeliverySelection.all().ofHandler("mail").withStatus(DeliveryStatus.OPEN)))
                .thenReturn(new Count(12, true));

        assertThat(console.page("/outbox/confirm?action=expire&subject=handler&name=mail"))
                .contains(
                        "Expire", "action=\"/outbox/expire\"", "Open deliveries now: <strong id=\"open\">12</strong>");
        assertThat(send(post("/outbox/expire")).getStatus()).isEqualTo(303);
        verify(operations).expireHandler("mail", "ann", "kept");
        verify(operations, never()).pauseHandler(any(), any(), any());
    }

    @Test
    void subscriptionIsExpired() throws Exception {
        when(operations.expireSubscription("mail", "*", "ann", "kept")).thenReturn(true);

        assertThat(console.page("/outbox/confirm?action=expire&subject=subscription&name=mail&eventType=*"))
                .contains("NOT_SELECTED", "name=\"eventType\" value=\"*\"");
        assertThat(send(post("/outbox/expire").param("subject", "subscription").param("eventType", "*"))
                        .getStatus())
                .isEqualTo(303);
        verify(operations).expireSubscription("mail", "*", "ann", "kept");
    }

    @Test
    void inboxIsResumedWhereTheOperatorChooses() throws Exception {
        assertThat(console.page("/outbox/confirm?action=resume&subject=inbox&name=mail"))
                .contains("whose next records Kafka no longer has", "<option value=\"EARLIEST\">")
                .doesNotContain("resumed in the console", "What has queued up");
        MockHttpServletResponse undecided = send(post("/outbox/resume").param("subject", "inbox"));
        assertThat(undecided.getStatus()).isEqualTo(400);
        assertThat(undecided.getContentAsString()).contains("Choose where the inbox continues.", "value=\"kept\"");
        verify(operations, never()).resumeInbox(any(), any(), any(), any());

        assertThat(send(post("/outbox/resume").param("subject", "inbox").param("at", "LATEST"))
                        .getStatus())
                .isEqualTo(303);
        verify(operations).resumeInbox("mail", InboxStart.LATEST, "ann", "kept");
    }

    @Test
    void erasureShowsWhatItFindsBeforeItErases() throws Exception {
        Erasure order = Erasure.ofAggregate("Order", "42");
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.details()));
        when(operations.countErasable(order))
                .thenReturn(new Erasable(new Count(12, true), new Count(3, true)))
                .thenReturn(new Erasable(new Count(10_000, false), Count.NONE))
                .thenReturn(new Erasable(Count.NONE, Count.NONE));
        String page = "/outbox/erase?type=Order&id=42";
        assertThat(console.page("/outbox/events/" + PageFixture.EVENT))
                .contains("href=\"/outbox/erase?event=" + PageFixture.EVENT + "\"")
                .doesNotContain("action=\"/outbox/erase\"");
        assertThat(console.page("/outbox/lanes?type=Order&id=42"))
                .contains("href=\"/outbox/erase?type=Order&amp;id=42\"")
                .doesNotContain("action=\"/outbox/erase\"");

        assertThat(console.page(page))
                .containsSubsequence(
                        "id=\"events\">12<", ">3<", "name=\"undelivered\" required", ">Erase 12 events for good<");
        assertThat(console.page(page))
                .contains(">Erase 10,000+ events for good<", "too large to count")
                .doesNotContain("name=\"undelivered\"");
        assertThat(console.page(page)).contains("nothing to erase").doesNotContain("<form method=\"post\"");
    }

    @Test
    void erasesAnEventOrAnAggregateAndNamesWhatRemains() throws Exception {
        when(operations.erase(any(), anyString(), anyString()))
                .thenReturn(
                        Erased.of(1, Count.NONE),
                        Erased.of(5, new Count(2, true)),
                        Erased.of(5, new Count(10_000, false)));
        String lane = "/outbox/lanes?type=Order&id=42";

        MockHttpServletResponse whole = send(post("/outbox/erase").param("event", PageFixture.EVENT.toString()));
        MockHttpServletResponse exact = erase("KEEP");
        MockHttpServletResponse bounded = erase("WITHDRAW");

        verify(operations).erase(Erasure.ofEvents(List.of(PageFixture.EVENT)), "ann", "kept");
        verify(operations).erase(Erasure.ofAggregate("Order", "42").afterDelivery(), "ann", "kept");
        verify(operations).erase(Erasure.ofAggregate("Order", "42").withoutDelivery(), "ann", "kept");
        assertThat(whole.getHeader("Location")).isEqualTo("/outbox/events/" + PageFixture.EVENT);
        assertThat(exact.getHeader("Location")).isEqualTo(lane);
        assertThat(outcome(lane, whole)).contains("Events erased: 1. Topics");
        assertThat(outcome(lane, exact)).contains("Events erased: 5. Not delivered, and kept: 2.");
        assertThat(outcome(lane, bounded)).contains("Not delivered, and kept: 10,000+.");
    }

    private MockHttpServletResponse erase(String undelivered) throws Exception {
        return send(
                post("/outbox/erase").param("type", "Order").param("id", "42").param("undelivered", undelivered));
    }

    private String outcome(String page, MockHttpServletResponse changed) throws Exception {
        return console.send(get(page).cookie(changed.getCookie("outbox-outcome")))
                .getContentAsString();
    }

    @Test
    void refusedErasureSaysWhyOnceAndKeepsItsInput() throws Exception {
        when(operations.countErasable(any())).thenReturn(new Erasable(new Count(12, true), new Count(4, true)));
        when(operations.erase(any(), anyString(), anyString()))
                .thenThrow(new InvalidOperationException("4 of the events to erase are not delivered"));

        MockHttpServletResponse refused = erase("KEEP");

        assertThat(refused.getStatus()).isEqualTo(400);
        assertThat(refused.getContentAsString())
                .containsOnlyOnce("4 of the events to erase are not delivered")
                .contains("role=\"alert\"", "value=\"kept\"", "<option value=\"KEEP\" selected=\"selected\">");
    }

    @Test
    void erasedEventSaysWhenAndByWhom() throws Exception {
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.details("ERASE")));

        assertThat(console.page("/outbox/events/" + PageFixture.EVENT))
                .containsPattern(
                        "id=\"erased\">Erased on <span>[0-9T:.-]+Z</span> by <span>ann</span>: <span>&lt;script")
                .doesNotContain("Erase content", "/outbox/erase");
    }

    @Test
    void missingPrivilegeIsExplained() throws Exception {
        when(operations.erase(any(), anyString(), anyString()))
                .thenThrow(new OutboxConfigurationException("permission denied", "grant it", null));

        MockHttpServletResponse refused = send(post("/outbox/erase").param("event", PageFixture.EVENT.toString()));

        assertThat(refused.getStatus()).isEqualTo(400);
        assertThat(refused.getContentAsString()).contains("permission denied", "grant it");
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 2 deliveries retried. 1 busy", "0, 0, Nothing changed: another operator or a worker was faster."
    })
    void addressIsFreeOfTheOutcomeWhichIsShownOnce(int affected, int busy, String text) throws Exception {
        when(operations.retry(any(), anyString(), anyString())).thenReturn(new Changed(affected, busy));
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.details()));

        MockHttpServletResponse changed =
                send(post("/outbox/deliveries/retry").param("event", PageFixture.EVENT.toString()));
        Cookie outcome = changed.getCookie("outbox-outcome");
        MockHttpServletResponse shown =
                console.send(get("/outbox/events/" + PageFixture.EVENT).cookie(outcome));

        assertThat(changed.getHeader("Location")).isEqualTo("/outbox/events/" + PageFixture.EVENT);
        assertThat(shown.getContentAsString()).contains(text);
        assertThat(shown.getCookie("outbox-outcome").getMaxAge()).isZero();
        assertThat(console.page("/outbox/events/" + PageFixture.EVENT)).doesNotContain(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "", "retried.", "retried.x.y"})
    void outcomeThatAnybodyChangedIsNoError(String outcome) throws Exception {
        assertThat(console.send(get("/outbox").cookie(new Cookie("outbox-outcome", outcome)))
                        .getStatus())
                .isEqualTo(200);
    }

    @Test
    void laneBeforeItsFirstDeliveryHasNoHandler() throws Exception {
        when(inspector.lanes("Order", "42"))
                .thenReturn(List.of(new LaneReport(
                        null,
                        "Order",
                        "42",
                        LaneReport.Cause.PENDING,
                        null,
                        new LaneReport.Counts(Count.NONE, Count.NONE, new Count(2, true)),
                        new LaneReport.Front(
                                new Count(3602, true),
                                "shop-1",
                                PageFixture.call("stock", Duration.ofSeconds(4), Call.State.RUNNING)))));

        assertThat(console.page("/outbox/lanes?type=Order&id=42"))
                .contains("First delivery")
                .contains("behind 3,602 older events of its stream. shop-1 has handled stock for 4 s.")
                .contains("Find out why stock takes so long.")
                .containsSubsequence("<dt>In front</dt>", "/outbox/events/" + PageFixture.EVENT)
                .doesNotContain("Dead letters, oldest first");
    }

    @Test
    void laneOfDeadLettersListsThem() throws Exception {
        when(inspector.lanes("Order", "42"))
                .thenReturn(List.of(PageFixture.lane(LaneReport.Cause.DEAD_LETTERS_ONLY, null)));
        when(operations.find(DeliverySelection.lane("mail", "Order", "42").withStatus(DeliveryStatus.DEAD), 50))
                .thenReturn(List.of(PageFixture.delivery(9, DeliveryStatus.DEAD)));

        assertThat(console.page("/outbox/lanes?type=Order&id=42"))
                .contains("Dead letters, oldest first", "/outbox/events/" + PageFixture.EVENT)
                .doesNotContain("value=\"the cause is corrected\"");
    }

    @Test
    void logHasOneRowForACommand() throws Exception {
        when(operations.commands(OperationSelection.all(), 51))
                .thenReturn(List.of(
                        new Operation.Command(40, PageFixture.operation(33), new Count(19_998, true), 6L),
                        new Operation.Command(30, PageFixture.operation(31), new Count(627, true), null),
                        new Operation.Command(29, PageFixture.operation(29), new Count(1, true), null)));

        assertThat(console.page("/outbox/operations"))
                .containsSubsequence(
                        "href=\"/outbox/operations/40\">19,998</a>",
                        "href=\"/outbox/replays/6\">#6</a>",
                        "href=\"/outbox/operations/30\">627</a>",
                        "/outbox/events/" + PageFixture.EVENT)
                .doesNotContain("Older", "/outbox/operations/29");
    }

    @Test
    void logSaysWhenAPauseEnds() throws Exception {
        Instant end = Instant.parse("2026-01-31T12:30:00Z");
        Operation pause = new Operation(
                7,
                end.minusSeconds(1800),
                "ann",
                "PAUSE_STREAM",
                "maintenance",
                new Operation.Subject("bulk", null, null, null, null),
                end);
        when(operations.commands(OperationSelection.all(), 51))
                .thenReturn(List.of(new Operation.Command(7, pause, new Count(1, true), null)));

        assertThat(console.page("/outbox/operations"))
                .containsSubsequence(
                        ">PAUSE_STREAM</span>",
                        ">bulk</bdi>",
                        " until <time datetime=\"2026-01-31T12:30:00Z\">2026-01-31 12:30:00Z</time>");
    }

    @Test
    void logGoesOnBeforeTheLastCommandOfThePage() throws Exception {
        when(operations.commands(OperationSelection.all(), 51))
                .thenReturn(LongStream.range(0, 51)
                        .mapToObj((i) -> new Operation.Command(
                                100 - i, PageFixture.operation(1), new Count(10_000, false), null))
                        .toList());

        assertThat(console.page("/outbox/operations"))
                .contains(">10,000+</a>", "/outbox/operations?after=51\"")
                .doesNotContain("operations/50\"");
    }

    @Test
    void commandShowsAllItsOperationsInPages() throws Exception {
        List<Operation> entries = LongStream.range(0, 60)
                .mapToObj((i) -> PageFixture.operation(99 - i))
                .toList();
        when(operations.operations(OperationSelection.ofCommand(40, null), 51)).thenReturn(entries.subList(0, 51));
        when(operations.operations(OperationSelection.ofCommand(40, 50L), 51)).thenReturn(entries.subList(50, 60));

        assertThat(console.page("/outbox/operations/40"))
                .contains("RETRY", "/outbox/operations/40?after=50\"")
                .containsOnlyOnce("rel=\"next\"");
        assertThat(console.page("/outbox/operations/40?after=50").split("class=\"entry\"", -1))
                .hasSize(11)
                .noneMatch((text) -> text.contains("rel=\"next\""));
        console.page("/outbox/operations/41", 404);
        console.page("/outbox/operations/x", 404);
    }

    @Test
    void skipOfAHeadSaysHowManyContinueWithoutIt() throws Exception {
        when(inspector.lanes("Order", "42"))
                .thenReturn(List.of(
                        PageFixture.lane(LaneReport.Cause.BACKING_OFF, PageFixture.delivery(9, DeliveryStatus.OPEN))));

        assertThat(console.page("/outbox/lanes?type=Order&id=42"))
                .containsSubsequence("Skip head…", "<b>5</b> <span>deliveries continue</span> without it", "Skip head");
    }

    private String found(String text) throws Exception {
        return console.send(get("/outbox/search").param("q", text)).getHeader("Location");
    }

    private MockHttpServletResponse send(MockHttpServletRequestBuilder form) throws Exception {
        return console.submit(form.param("operator", "ann")
                .param("subject", "handler")
                .param("handler", "mail")
                .param("name", "mail")
                .param("reason", "kept"));
    }
}
