/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // Errors name what failed; nothing else of the server belongs in a page.
  productionBrowserSourceMaps: false,
  devIndicators: false,
};
