import{g as s}from"./chunk-RLH3V6A7.js";function r(e){return s("h1",{children:"Requests"})}export{r as Screen};
