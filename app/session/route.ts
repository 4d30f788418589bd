export {
  handleDashboard as DELETE,
  handleDashboard as GET,
  handleDashboard as POST,
} from "#lib/server/web-dashboard.ts";
