package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replays;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** Retries and skips of a group, which run on the server. */
class BulkPagesTest {

    private static final DeliverySelection DEAD =
            DeliverySelection.all().ofHandler("mail").withStatus(DeliveryStatus.DEAD);

    private final TestConsole console = TestConsole.insecure();
    private final OutboxInspector inspector = console.inspector;
    private final OutboxOperations operations = console.operations;
    private final Replays replays = console.replays;

    @BeforeEach
    void fill() {
        when(inspector.overview()).thenReturn(PageFixture.overview());
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.skipped()));
        when(inspector.failures())
                .thenReturn(List.of(PageFixture.group("IOException", 3), PageFixture.group("Timeout", 4)));
        when(operations.find(any(), anyInt())).thenReturn(List.of(PageFixture.delivery(9, DeliveryStatus.DEAD)));
    }

    @Test
    void retryAndSkipRunOnTheServer() throws Exception {
        when(replays.retry(any(), anyInt(), any(), any())).thenReturn(4L);
        when(replays.skip(any(), anyInt(), any(), any())).thenReturn(5L);

        assertThat(console.submit(bulk("retry", "200").param("errorCode", "IOException"))
                        .getRedirectedUrl())
                .isEqualTo("/outbox/replays/4");
        assertThat(console.submit(bulk("skip", "10")
                                .param("errorCode", "IOException")
                                .param("status", "OPEN"))
                        .getRedirectedUrl())
                .isEqualTo("/outbox/replays/5");

        DeliverySelection failed = DEAD.withErrorCode("IOException");
        verify(replays).retry(failed, 200, "ann", "fixed");
        verify(replays).skip(failed.withStatus(DeliveryStatus.OPEN), 10, "ann", "fixed");
        verifyNoInteractions(operations);
    }

    @Test
    void allErrorsOfAHandlerAreOneGroup() throws Exception {
        console.submit(bulk("retry", "100"));

        verify(replays).retry(DEAD, 100, "ann", "fixed");
        assertThat(console.page("/outbox/failures/group?handler=mail"))
                .contains("<span id=\"preview-count\">")
                .doesNotContain("name=\"errorCode\"", "id=\"all-errors\"");
        verify(operations).find(DEAD, 51);
        assertThat(console.page("/outbox/failures/group?handler=mail&errorCode=IOException"))
                .contains("id=\"all-errors\" href=\"/outbox/failures/group?handler=mail\"");
    }

    @Test
    void waitingDeliveriesAreNoFailures() throws Exception {
        MockHttpServletResponse response = console.submit(bulk("skip", "100").param("status", "OPEN"));

        assertThat(response.getStatus()).isEqualTo(400);
        assertThat(response.getContentAsString()).contains("need an error code");
        verifyNoInteractions(replays);
        assertThat(console.page("/outbox/failures/group?handler=mail")).doesNotContain("status=OPEN");
        assertThat(console.page("/outbox/failures/group?handler=mail&errorCode=IOException"))
                .contains("status=OPEN");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "100001", "-1", "x"})
    void rateOutsideOfLimitsIsRefused(String rate) throws Exception {
        assertThat(console.submit(bulk("retry", rate)).getContentAsString()).contains("&#39;rate&#39; must be");
        verifyNoInteractions(replays);
    }

    @Test
    void unknownActionIsRefused() throws Exception {
        assertThat(console.submit(bulk("delete", "5")).getContentAsString())
                .contains("can retry and skip deliveries only");
        verifyNoInteractions(replays);
    }

    @Test
    void everybodySeesTheProgress() throws Exception {
        Replay retry = PageFixture.bulk(Replay.Kind.RETRY, DEAD.withErrorCode("IOException"), null);
        when(replays.list()).thenReturn(List.of(retry));
        when(replays.find(6)).thenReturn(Optional.of(retry));

        assertThat(console.page("/outbox/replays")).contains("#6</a> Retry");
        assertThat(console.page("/outbox/replays/6"))
                .contains("Retry <span>#6</span>", "<dd id=\"changed\">400</dd>", "Busy, left alone", "id=\"cancel\"")
                .contains("max=\"19998\" value=\"402\"", "<dd id=\"total\">19,998</dd>", "<dd id=\"rate\">100</dd>")
                .contains("<dd id=\"time-left\">3 min 15 s</dd>", "<dt>Not handled yet</dt><dd>30</dd>")
                .contains("href=\"/outbox/failures/group?handler=mail\">7</a>")
                .contains("handler=mail&amp;errorCode=IOException&amp;status=DEAD\">What is left")
                .doesNotContain("Added", "data-finished", "data-left");
        when(replays.find(6))
                .thenReturn(Optional.of(PageFixture.bulk(
                        Replay.Kind.SKIP, DEAD, PageFixture.overview().at())));
        assertThat(console.page("/outbox/replays/6"))
                .contains("Skip <span>#6</span>", "<dt>Skipped</dt>", "data-finished");
    }

    @Test
    void bulkThatHasEndedOffersWhatItLeft() throws Exception {
        Replay retry = PageFixture.bulk(
                Replay.Kind.RETRY,
                DEAD.withErrorCode("IOException"),
                PageFixture.overview().at());
        DeliverySelection left = DEAD.withErrorCode("IOException").orRetriedBy(6);
        when(replays.find(6)).thenReturn(Optional.of(retry));
        when(operations.count(left)).thenReturn(new Count(9, true));
        when(replays.retry(left, 200, "ann", "now it is")).thenReturn(8L);

        assertThat(console.page("/outbox/replays/6"))
                .contains("data-left", "<dd id=\"left-count\">9</dd>", "action=\"/outbox/replays/6/again\"");
        assertThat(console.submit(again().param("reason", "now it is")).getRedirectedUrl())
                .isEqualTo("/outbox/replays/8");
        MockHttpServletResponse refused = console.submit(again());
        assertThat(refused.getStatus()).isEqualTo(400);
        assertThat(refused.getContentAsString()).contains("&#39;reason&#39; is missing", "Retry what is left");
        when(operations.count(left)).thenReturn(Count.NONE);
        assertThat(console.page("/outbox/replays/6")).doesNotContain("data-left");
    }

    @Test
    void replayHasNothingToRetryAgain() throws Exception {
        when(replays.find(6)).thenReturn(Optional.of(PageFixture.replay()));

        assertThat(console.submit(again().param("reason", "again")).getStatus()).isEqualTo(404);
        assertThat(console.page("/outbox/replays/6")).doesNotContain("/again");
    }

    private static MockHttpServletRequestBuilder again() {
        return post("/outbox/replays/6/again").param("operator", "ann");
    }

    @Test
    void progressBeyondWhatIsCountedHasLowerBounds() throws Exception {
        Replay replay = PageFixture.replay();
        Replay large = new Replay(
                4,
                replay.kind(),
                replay.request(),
                null,
                replay.origin(),
                replay.status(),
                new Replay.Progress(
                        null,
                        30_000,
                        new Count(10_000, false),
                        new Count(1_000, true),
                        0,
                        false,
                        Duration.ofSeconds(300),
                        null));
        when(replays.list()).thenReturn(List.of(large));
        when(replays.find(4)).thenReturn(Optional.of(large));

        assertThat(console.page("/outbox/replays/4"))
                .contains("<dd>10,000+</dd>", ">1,000</dd>")
                .doesNotContain("Delivered");
        assertThat(console.page("/outbox/replays")).contains(">10,000+</td>", ">1,000</td>");
    }

    @Test
    void replayedEventThatDiedAgainIsNoSuccess() throws Exception {
        String event = "/outbox/events/" + PageFixture.EVENT;
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.replayed(DeliveryStatus.DEAD)));

        assertThat(console.page(event))
                .contains("<span class=\"pill replay dead\">REPLAY DEAD</span>", "Retry now")
                .doesNotContain("class=\"pill published\"", "Deliver again");
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.replayed(DeliveryStatus.OPEN)));
        assertThat(console.page(event))
                .contains("<span class=\"pill replay open\">REPLAY OPEN</span>")
                .doesNotContain("class=\"pill published\"", "Deliver again");
    }

    @Test
    void skipOffersToDeliverAgain() throws Exception {
        when(replays.countEvents(any())).thenReturn(new Count(1, true));
        String preview = "/outbox/replays/preview?handler=mail&event=" + PageFixture.EVENT;

        assertThat(console.page("/outbox/events/" + PageFixture.EVENT))
                .contains("href=\"" + preview.replace("&", "&amp;"));
        assertThat(console.page(preview))
                .contains("name=\"event\" value=\"" + PageFixture.EVENT + "\"", "/outbox/events/" + PageFixture.EVENT);
    }

    private static MockHttpServletRequestBuilder bulk(String action, String rate) {
        return post("/outbox/failures/bulk")
                .param("handler", "mail")
                .param("action", action)
                .param("rate", rate)
                .param("operator", "ann")
                .param("reason", "fixed");
    }
}
