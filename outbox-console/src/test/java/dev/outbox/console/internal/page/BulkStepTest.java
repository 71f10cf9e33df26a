package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliverySelection.Place;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import java.time.Instant;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentCaptor;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** One step of a bulk operation: what it selects, and what the next step will know. */
class BulkStepTest {

    private final OutboxInspector inspector = mock();
    private final OutboxOperations operations = mock();
    private final MockMvc console = PageFixture.insecure(inspector, operations);

    @BeforeEach
    void start() {
        when(inspector.overview()).thenReturn(PageFixture.overview());
    }

    @Test
    void workBeginsByClockOfDatabase() throws Exception {
        find(11, 12);
        when(operations.retry(any(), anyString(), anyString())).thenReturn(new Changed(2, 0));

        String html = send(bulk("retry", "2"));
        send(bulk("retry", "2").param("startedAt", "2026-03-01T12:00:00.123456Z"));

        ArgumentCaptor<DeliverySelection> selection = ArgumentCaptor.captor();
        verify(operations, times(2)).retry(selection.capture(), eq("ann"), eq("fixed"));
        Instant startedAt = PageFixture.overview().at();
        assertThat(selection.getAllValues())
                .extracting((step) -> step.range().before())
                .containsExactly(startedAt, Instant.parse("2026-03-01T12:00:00.123456Z"));
        assertThat(html).contains("name=\"startedAt\" value=\"" + startedAt + "\"");
        verify(inspector, times(1)).overview();
    }

    @Test
    void totalThatIsNotExactStaysSo() throws Exception {
        find(11, 12);
        when(operations.skip(any(), anyString(), anyString())).thenReturn(new Changed(2, 0));

        assertThat(send(bulk("skip", "2").param("total", "1000").param("more", "true")))
                .contains("of 1,000+", "name=\"total\" value=\"1000\"", "name=\"more\" value=\"true\"");
        assertThat(send(bulk("skip", "2").param("total", "1001")))
                .contains("of 1,001<", "name=\"total\" value=\"1001\"")
                .doesNotContain("name=\"more\"");
    }

    @Test
    void stepEndsAtLastDeliveryThatItFound() throws Exception {
        find(11, 12);
        when(operations.retry(any(), anyString(), anyString())).thenReturn(new Changed(1, 1));

        String html = send(bulk("retry", "2").param("after", "10:mail"));

        ArgumentCaptor<DeliverySelection> selection = ArgumentCaptor.captor();
        verify(operations).retry(selection.capture(), eq("ann"), eq("fixed"));
        assertThat(selection.getValue().range().after()).isEqualTo(new Place(10, "mail"));
        assertThat(selection.getValue().range().upTo()).isEqualTo(new Place(12, "mail"));
        assertThat(selection.getValue().statuses()).isEqualTo(Set.of(DeliveryStatus.DEAD));
        assertThat(selection.getValue().range().before()).isNotNull();
        assertThat(html)
                .contains("1 delivery retried.", "1 busy", "hx-trigger=\"load delay:1s\"")
                .contains("name=\"after\" value=\"12:mail\"", "name=\"busy\" value=\"1\"", "value=\"fixed\"")
                .doesNotContain("Finished");
    }

    @Test
    void shortStepIsTheLast() throws Exception {
        find(11);
        when(operations.skip(any(), anyString(), anyString())).thenReturn(new Changed(1, 0));

        assertThat(send(bulk("skip", "2").param("affected", "7")))
                .contains("Finished", "8 deliveries skipped.")
                .doesNotContain("hx-trigger");
    }

    @Test
    void stepWithoutDeliveriesChangesNothing() throws Exception {
        find();

        assertThat(send(bulk("retry", "2"))).contains("Finished", "Nothing changed");
        verify(operations, never()).retry(any(), any(), any());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1001", "-1", "x"})
    void rateOutsideOfLimitsIsRefused(String rate) throws Exception {
        find(11);

        assertThat(send(bulk("retry", rate))).contains("&#39;rate&#39; must be");
        verify(operations, never()).retry(any(), any(), any());
    }

    @Test
    void unknownActionIsRefused() throws Exception {
        find(11);

        assertThat(send(bulk("delete", "5"))).contains("can retry and skip deliveries only");
    }

    private void find(long... ids) {
        when(operations.find(any(), anyInt()))
                .thenReturn(LongStream.of(ids)
                        .<Delivery>mapToObj((id) -> PageFixture.delivery(id, DeliveryStatus.DEAD))
                        .toList());
    }

    private static MockHttpServletRequestBuilder bulk(String action, String rate) {
        return post("/outbox/failures/bulk")
                .header("Sec-Fetch-Site", "same-origin")
                .header("HX-Request", "true")
                .param("handler", "mail")
                .param("errorCode", "IOException")
                .param("action", action)
                .param("rate", rate)
                .param("operator", "ann")
                .param("reason", "fixed");
    }

    private String send(MockHttpServletRequestBuilder request) throws Exception {
        return console.perform(request).andReturn().getResponse().getContentAsString();
    }
}
