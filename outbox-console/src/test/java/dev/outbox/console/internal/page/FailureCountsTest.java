package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many deliveries fail, and what operators see of it before they change all of them. */
class FailureCountsTest {

    private static final String GROUP = "/outbox/failures/group?handler=mail&errorCode=IOException";
    private static final String NO_REASON = "name=\"reason\" required maxlength=\"2000\" value=\"\">";
    private static final DeliverySelection DEAD_MAILS = DeliverySelection.all()
            .ofHandler("mail")
            .withErrorCode("IOException")
            .withStatus(DeliveryStatus.DEAD);

    private final TestConsole console = TestConsole.insecure();
    private final OutboxInspector inspector = console.inspector;
    private final OutboxOperations operations = console.operations;

    @BeforeEach
    void fill() {
        when(inspector.overview()).thenReturn(PageFixture.overview());
        when(inspector.failures()).thenReturn(List.of(PageFixture.group("IOException", 1000)));
        when(operations.find(any(), anyInt())).thenReturn(List.of(PageFixture.delivery(9, DeliveryStatus.DEAD)));
    }

    @Test
    void previewIsExactBeyondLimitOfGroups() throws Exception {
        moreThanAPage();
        when(operations.count(DEAD_MAILS)).thenReturn(new Count(1001, true));

        for (String page : List.of(GROUP, GROUP + "&after=5:mail")) {
            assertThat(console.page(page)).contains("All <span id=\"preview-count\">1,001</span> of them");
        }
        verify(inspector, never()).failures();
    }

    @Test
    void previewSaysHowFarItCounted() throws Exception {
        moreThanAPage();
        when(operations.count(DEAD_MAILS))
                .thenReturn(new Count(10_000, false))
                .thenThrow(new InvalidOperationException("too many"));

        assertThat(console.page(GROUP)).contains("All <span id=\"preview-count\">10,000+</span> of them");
        assertThat(console.page(GROUP)).contains("All <span id=\"preview-count\"></span> of them");
    }

    private void moreThanAPage() {
        when(operations.find(any(), anyInt()))
                .thenReturn(Collections.nCopies(51, PageFixture.delivery(9, DeliveryStatus.DEAD)));
    }

    @Test
    void retriedDeliveriesAreCountedWithoutThoseThatWait() throws Exception {
        moreThanAPage();
        when(operations.count(any())).thenReturn(new Count(51, true));

        assertThat(console.page(GROUP + "&status=OPEN")).contains("<span id=\"preview-count\">51</span>");
        verify(operations)
                .count(DeliverySelection.all()
                        .ofHandler("mail")
                        .withErrorCode("IOException")
                        .withStatus(DeliveryStatus.OPEN));
    }

    @Test
    void groupOfOnePageIsNotCounted() throws Exception {
        assertThat(console.page(GROUP)).contains("<span id=\"preview-count\">1</span>");
        verify(operations, never()).count(any());
    }

    @Test
    void everyFigureShowsThatThereAreMore() throws Exception {
        when(inspector.overview()).thenReturn(PageFixture.overview(20_000));
        when(inspector.failures())
                .thenReturn(List.of(PageFixture.group("IOException", 19_996), PageFixture.group("SQLException", 4)));

        String overview = console.page("/outbox");
        assertThat(overview).contains("10,000+ dead letters, 1 paused.");
        assertThat(overview.split("<td class=\"num bad\">10,000\\+</td>", -1))
                .as("group, stream and handler")
                .hasSize(4);
        assertThat(console.page("/outbox/failures"))
                .contains("<dd class=\"bad\">10,000+</dd>", ">CIRCUIT OPEN</span></h2>");
    }

    @ParameterizedTest
    @CsvSource({"6, 1 more group", "7, 2 more groups"})
    void restOfTheGroupsIsCounted(int groups, String rest) throws Exception {
        when(inspector.failures()).thenReturn(Collections.nCopies(groups, PageFixture.group("IOException", 1)));

        assertThat(console.page("/outbox")).contains(">" + rest + "</a>");
    }

    @Test
    void failuresOfOneHandlerLeaveOutTheOthers() throws Exception {
        assertThat(console.page("/outbox/failures?handler=mail"))
                .contains(
                        "Failures of <bdi>mail</bdi>", ">IOException</code>", "href=\"/outbox/failures\">All handlers");
        assertThat(console.page("/outbox/failures?handler=push"))
                .contains("No delivery of this handler fails.")
                .doesNotContain("IOException");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/outbox", "/outbox/failures"})
    void groupWithoutErrorCodeHasNoLink(String address) throws Exception {
        when(inspector.failures()).thenReturn(List.of(PageFixture.group("", 3)));

        assertThat(console.page(address))
                .contains("no error code", "/outbox/lanes?")
                .doesNotContain("/failures/group");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/outbox/lanes?type=Order&id=42", "/outbox/events/6d1f0c4e-8d53-4f0e-9d58-5c6c7a1f0001"})
    void skipHasReasonOfItsOwn(String address) throws Exception {
        when(inspector.findEvent(PageFixture.EVENT)).thenReturn(Optional.of(PageFixture.details()));
        when(inspector.lanes("Order", "42"))
                .thenReturn(List.of(PageFixture.lane(
                        LaneReport.Cause.BLOCKED_BY_DEAD_LETTER, PageFixture.delivery(1, DeliveryStatus.DEAD))));
        List<String> forms = Pattern.compile("<form method=\"post\".*?</form>", Pattern.DOTALL)
                .matcher(console.page(address))
                .results()
                .map(MatchResult::group)
                .toList();

        assertThat(forms).hasSize(2);
        assertThat(forms.get(0))
                .contains("Retry", "value=\"the cause is corrected\"")
                .doesNotContain("Skip");
        assertThat(forms.get(1)).contains("Skip", NO_REASON).doesNotContain("Retry", "the cause is corrected");
    }

    @Test
    void bulkWorkNeedsReasonOfItsOwn() throws Exception {
        assertThat(console.page(GROUP)).contains(NO_REASON).doesNotContain("the cause is corrected");
    }
}
