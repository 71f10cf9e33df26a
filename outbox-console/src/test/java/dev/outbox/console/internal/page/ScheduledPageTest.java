package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ScheduledEvent;
import dev.outbox.operations.ScheduledEvents;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

class ScheduledPageTest {

    private final OutboxInspector inspector = mock();
    private final ScheduledEvents scheduled = mock();
    private final MockMvc console = PageFixture.insecure(inspector, mock(OutboxOperations.class), scheduled);

    @Test
    void listsWhatIsDueNextWithEscapedTexts() throws Exception {
        Instant due = Instant.now().plusSeconds(7200);
        when(scheduled.find("order", null, 100)).thenReturn(List.of(event(PageFixture.EVIL, due), event(null, due)));

        MockHttpServletResponse page = send(get("/outbox/scheduled?aggregateType=order"));

        assertThat(page.getStatus()).isEqualTo(200);
        assertThat(page.getContentAsString())
                .contains(
                        "PaymentOverdue",
                        "value=\"order\"",
                        "&lt;script&gt;",
                        "in 1 h 59 min",
                        "/outbox/scheduled/deliver")
                .doesNotContain(PageFixture.EVIL);
    }

    @Test
    void saysThatNothingIsScheduled() throws Exception {
        assertThat(send(get("/outbox/scheduled")).getContentAsString()).contains("No event is scheduled.");
    }

    @Test
    void deliversAndCancelsWithOperatorAndReason() throws Exception {
        when(scheduled.deliverNow(PageFixture.EVENT, "ann", "asked for")).thenReturn(true);
        when(scheduled.cancel(PageFixture.EVENT, "ann", "asked for")).thenReturn(false);

        assertThat(outcome(change("deliver", "asked for"))).contains("It is due now");
        assertThat(outcome(change("cancel", "asked for"))).contains("Nothing changed: its time had come");
    }

    @Test
    void refusedChangeKeepsItsReasonAndShowsTheList() throws Exception {
        when(scheduled.find(null, null, 100)).thenReturn(List.of(event("overdue", Instant.now())));

        MockHttpServletResponse refused = change("cancel", " ");

        assertThat(refused.getStatus()).isEqualTo(400);
        assertThat(refused.getContentAsString()).contains("role=\"alert\"", "open", "overdue");
    }

    @Test
    void changeOfAnotherSiteIsRefused() throws Exception {
        MockHttpServletResponse refused = send(post("/outbox/scheduled/cancel")
                .header("Sec-Fetch-Site", "cross-site")
                .param("event", PageFixture.EVENT.toString()));

        assertThat(refused.getStatus()).isEqualTo(403);
        verifyNoInteractions(scheduled);
    }

    private String outcome(MockHttpServletResponse changed) throws Exception {
        assertThat(changed.getHeader("Location")).isEqualTo("/outbox/scheduled");
        return send(get("/outbox/scheduled").cookie(changed.getCookie("outbox-outcome")))
                .getContentAsString();
    }

    private MockHttpServletResponse change(String action, String reason) throws Exception {
        return send(post("/outbox/scheduled/" + action)
                .header("Sec-Fetch-Site", "same-origin")
                .param("operator", "ann")
                .param("event", PageFixture.EVENT.toString())
                .param("reason", reason));
    }

    private MockHttpServletResponse send(MockHttpServletRequestBuilder request) throws Exception {
        return console.perform(request).andReturn().getResponse();
    }

    private static ScheduledEvent event(String key, Instant due) {
        return new ScheduledEvent(
                PageFixture.EVENT, "default", "order", PageFixture.EVIL, key, "PaymentOverdue", due, null);
    }
}
