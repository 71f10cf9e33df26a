package dev.outbox.console.internal.page;

import static dev.outbox.console.internal.page.PageFixture.EVENT;
import static dev.outbox.console.internal.page.PageFixture.EVIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.head;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.options;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.operations.Count;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.OutboxOperations.Erasable;
import dev.outbox.operations.Replays;
import jakarta.servlet.http.MappingMatch;
import java.net.URI;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** Every page and change, without a database. */
class PagesTest {

    private static final String HOSTILE = "<script>alert";
    private static final Pattern INLINE = Pattern.compile(
            "<script(?![^>]*\\bsrc=)|<style|\\sstyle=|\\son[a-z]+=|javascript:|hx-on", Pattern.CASE_INSENSITIVE);

    private final TestConsole console = TestConsole.secured(PageFixture.RIGHTS);
    private final OutboxInspector inspector = console.inspector;
    private final OutboxOperations operations = console.operations;
    private final Replays replays = console.replays;

    @BeforeEach
    void fill() {
        when(inspector.overview()).thenReturn(PageFixture.overview());
        when(inspector.failures()).thenReturn(List.of(PageFixture.group()));
        when(inspector.findEvent(EVENT)).thenReturn(Optional.of(PageFixture.details()));
        when(inspector.findContent(EVENT)).thenReturn(Optional.of(PageFixture.content()));
        when(inspector.lanes(anyString(), anyString()))
                .thenReturn(List.of(
                        PageFixture.lane(LaneReport.Cause.BACKING_OFF, PageFixture.delivery(1, DeliveryStatus.OPEN))));
        when(inspector.findEvents(any(), anyInt())).thenReturn(PageFixture.found());
        when(operations.find(any(), anyInt()))
                .thenAnswer((call) -> Collections.nCopies(
                        call.<Integer>getArgument(1), PageFixture.delivery(9, DeliveryStatus.DEAD)));
        when(operations.operations(any(), anyInt()))
                .thenAnswer((call) -> Collections.nCopies(call.<Integer>getArgument(1), PageFixture.operation(33)));
        when(operations.commands(any(), anyInt()))
                .thenAnswer((call) -> Collections.nCopies(
                        call.<Integer>getArgument(1),
                        new Operation.Command(33, PageFixture.operation(33), new Count(627, true), 4L)));
        when(operations.retry(any(), anyString(), anyString())).thenReturn(new Changed(2, 1));
        when(operations.skip(any(), anyString(), anyString())).thenReturn(new Changed(2, 0));
        when(operations.countErasable(any())).thenReturn(new Erasable(new Count(12, true), new Count(3, true)));
        when(replays.countEvents(any())).thenReturn(new Count(10_000, false));
        when(inspector.aggregateTypes(anyString())).thenReturn(List.of(EVIL, "Order"));
        when(inspector.pauses()).thenReturn(List.of(PageFixture.operation(3)));
        when(replays.list()).thenReturn(List.of(PageFixture.replay()));
        when(replays.find(anyLong())).thenReturn(Optional.of(PageFixture.replay()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/outbox",
                "/outbox?filter=%22%3E%3Cscript%3Ealert",
                "/outbox/overview/live",
                "/outbox/failures",
                "/outbox/failures?handler=%22%3E%3Cscript%3Ealert",
                "/outbox/failures/group?handler=mail&errorCode=IOException",
                "/outbox/failures/group?handler=mail&errorCode=IOException&status=OPEN",
                "/outbox/events/6d1f0c4e-8d53-4f0e-9d58-5c6c7a1f0001",
                "/outbox/lanes?type=Order&id=42",
                "/outbox/search?aggregateType=Order&aggregateId=%3Cscript%3Ealert&trace=%22%3E%3Cscript%3Ealert",
                "/outbox/search?q=%22%3E%3Cscript%3Ealert",
                "/outbox/replays",
                "/outbox/replays/new",
                "/outbox/replays/4",
                "/outbox/replays/4/live",
                "/outbox/replays/preview?handler=mail&reason=%3Cscript%3Ealert&rate=5&aggregateType=Order&aggregateId=%3Cscript%3Ealert",
                "/outbox/operations?actor=%22%3E%3Cscript%3Ealert",
                "/outbox/operations/33",
                "/outbox/tables",
                "/outbox/erase?type=Order&id=%3Cscript%3Ealert",
                "/outbox/erase?event=6d1f0c4e-8d53-4f0e-9d58-5c6c7a1f0001",
                "/outbox/confirm?action=expire&subject=handler&name=%3Cscript%3Ealert",
                "/outbox/confirm?action=pause&subject=handler&name=%3Cscript%3Ealert"
            })
    void pageShowsHostileTextAsText(String address) throws Exception {
        MockHttpServletResponse response = signedIn(get(URI.create(address)));

        String html = response.getContentAsString();
        assertThat(response.getStatus()).as(html).isEqualTo(200);
        assertThat(html).doesNotContain(HOSTILE).doesNotContain("${").doesNotContainPattern(INLINE);
        assertConfined(response);
    }

    @Test
    void tablesShowRowsSizeAndGrowth() throws Exception {
        assertThat(signedIn(get("/outbox/tables")).getContentAsString())
                .contains("events.outbox_published", "1,234,567", "1.5 GiB", "-4,321");
    }

    @Test
    void pagesAnswerHeadAndATrailingSlash() throws Exception {
        assertThat(signedIn(head("/outbox/failures")).getStatus()).isEqualTo(200);
        assertThat(signedIn(get("/outbox/")).getHeader("Location")).isEqualTo("/outbox");
    }

    @Test
    void optionsNameTheMethods() throws Exception {
        MockHttpServletResponse answer = signedIn(options("/outbox/failures"));

        assertThat(answer.getStatus()).isEqualTo(204);
        assertThat(answer.getHeader("Allow")).contains("GET", "HEAD", "POST");
        assertThat(console.send(options("/outbox")).getStatus()).isEqualTo(401);
    }

    @Test
    void linksContainTheServletPath() throws Exception {
        MockHttpServletRequestBuilder request = get("/shop/app/outbox")
                .contextPath("/shop")
                .servletPath("/app")
                .with((sent) -> {
                    sent.setHttpServletMapping(new MockHttpServletMapping("", "/app/*", "mvc", MappingMatch.PATH));
                    return sent;
                });

        assertThat(signedIn(request).getContentAsString()).contains("href=\"/shop/app/outbox/failures\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/outbox", "/outbox/replays/4"})
    void pageWithoutScriptsSaysFromWhenItIs(String address) throws Exception {
        assertThat(signedIn(get(address)).getContentAsString())
                .containsPattern("<span id=\"freshness\">as of \\d\\d:\\d\\d:\\d\\dZ</span>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/outbox", "/outbox/search", "/outbox/scheduled", "/outbox/operations"})
    void searchLandmarksHaveNames(String address) throws Exception {
        List<String> names = Pattern.compile("<form[^>]* role=\"search\"(?: aria-label=\"([^\"]+)\")?")
                .matcher(signedIn(get(address)).getContentAsString())
                .results()
                .map((form) -> form.group(1))
                .toList();

        assertThat(names).isNotEmpty().doesNotContainNull().doesNotHaveDuplicates();
    }

    @Test
    void fixtureIsHostile() throws Exception {
        assertThat(signedIn(get("/outbox/events/" + EVENT)).getContentAsString())
                .contains("&lt;script&gt;alert")
                .contains("Signed in as</span> <b id=\"operator\">ann</b>");
        assertThat(EVIL).contains(HOSTILE);
    }

    @Test
    void timelineHasAttemptsOfEndedDeliveries() throws Exception {
        String html = signedIn(get("/outbox/events/" + EVENT)).getContentAsString();

        assertThat(html.split("Attempt 1 failed: IOException, by shop-1, after 120 ms"))
                .hasSize(3);
        assertThat(html)
                .contains("<summary>Stack trace</summary><pre>")
                .contains("<span class=\"dim\">" + PageFixture.attempt().at().truncatedTo(ChronoUnit.MILLIS));
    }

    @ParameterizedTest
    @EnumSource(LaneReport.Cause.class)
    void laneExplainsEveryCause(LaneReport.Cause cause) throws Exception {
        for (var head : Arrays.asList(PageFixture.delivery(1, DeliveryStatus.OPEN), null)) {
            LaneReport lane = PageFixture.lane(cause, head);
            when(inspector.lanes("Order", "42")).thenReturn(List.of(lane));

            assertThat(signedIn(get("/outbox/lanes?type=Order&id=42")).getContentAsString())
                    .contains(lane.explanation())
                    .contains(lane.remedy());
        }
    }

    @Test
    void pagesContinueAfterLastRow() throws Exception {
        assertThat(signedIn(get("/outbox/failures/group?handler=mail&errorCode=IOException"))
                        .getContentAsString())
                .contains("after=9%3Amail&amp;errorCode=IOException");
        assertThat(signedIn(get("/outbox/operations?actor=ann")).getContentAsString())
                .contains("actor=ann&amp;after=33");
        assertThat(signedIn(get("/outbox/search?eventType=OrderPlaced")).getContentAsString())
                .contains("after=17&amp;eventType=OrderPlaced");
    }

    @Test
    void requestWithoutUserIsRefused() throws Exception {
        for (MockHttpServletRequestBuilder request : List.of(
                get("/outbox"),
                get("/outbox/assets/x/console.css"),
                get("/outbox/unknown"),
                post("/outbox/pause").header("Sec-Fetch-Site", "same-origin"))) {
            MockHttpServletResponse response = console.send(request);

            assertThat(response.getStatus()).isEqualTo(401);
            assertConfined(response);
        }
        verifyNoInteractions(inspector, operations);
    }

    @Test
    void pageSaysThatDatabaseIsDown() throws Exception {
        when(inspector.overview()).thenThrow(new DataAccessResourceFailureException("refused"));

        MockHttpServletResponse response = signedIn(get("/outbox"));

        assertThat(response.getStatus()).isEqualTo(503);
        assertThat(response.getContentAsString()).contains("The database does not answer");
        assertConfined(response);
    }

    @Test
    void failedCommandMayHaveBeenCarriedOut() throws Exception {
        when(operations.pauseHandler(any(), any(), any())).thenThrow(new DataAccessResourceFailureException("refused"));

        MockHttpServletResponse response = signedIn(post("/outbox/pause")
                .param("subject", "handler")
                .param("name", "mail")
                .param("reason", "why")
                .header("Sec-Fetch-Site", "same-origin"));

        assertThat(response.getStatus()).isEqualTo(503);
        assertThat(response.getContentAsString()).contains("The command may have been carried out");
    }

    @ParameterizedTest
    @CsvSource({
        "/outbox/nothing, 404",
        "/outbox/replays/x, 404",
        "/outbox/assets/old/console.css, 404",
        "/outbox/events/1, 400"
    })
    void unknownAddressIsRefused(String address, int status) throws Exception {
        assertThat(signedIn(get(address)).getStatus()).isEqualTo(status);
    }

    private MockHttpServletResponse signedIn(MockHttpServletRequestBuilder request) throws Exception {
        return console.send(request.principal(
                new TestingAuthenticationToken("ann", "", "ROLE_OUTBOX_OPERATOR", "ROLE_OUTBOX_ERASER")));
    }

    private static void assertConfined(MockHttpServletResponse response) {
        assertThat(response.getHeader("Content-Security-Policy"))
                .isEqualTo("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                        + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
        assertThat(response.getHeader("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(response.getHeader("Referrer-Policy")).isEqualTo("same-origin");
        assertThat(response.getHeader("Cache-Control")).isEqualTo("no-store");
    }
}
